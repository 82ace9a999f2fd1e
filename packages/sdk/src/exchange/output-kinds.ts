// Generated from the endpoint table by `npm run generate`. Do not edit.

const kind1 = {"key_id":"text","name":"text","key_version":"count","status":"text","exportable":"truth","intake":"truth","created_at":"text","rotated_at":["text",null],"rotation_policy":[{"interval_days":"count"},null],"next_rotation_at":["text",null],"destroy_at":["text",null]} as const;
const kind2 = {"api_key_id":"text","name":"text","hint":"text","permissions":["text"],"key_ids":[["text"],null],"allowed_origins":[["text"],null],"expires_at":["text",null],"created_at":"text","created_by":"text","revoked_at":["text",null],"last_used_at":["text",null]} as const;
const kind3 = {"issuer_id":"text","name":"text","issuer":"text","audience":"text","authorized_parties":[["text"],null],"jwks":[{"keys":[{"kty":"text"}]},null],"jwks_uri":["text",null],"permissions":["text"],"key_ids":["text"],"allowed_origins":[["text"],null],"subject_claim":"text","subject_prefix":"text","any_subject":"truth","require":["object",null],"max_age_seconds":"count","expires_at":["text",null],"created_at":"text","created_by":"text","revoked_at":["text",null]} as const;

/** What each response must contain. For a batch, what each result must contain that is no error. */
export const kinds = {
  'POST /v1/encrypt': {"ciphertext":"text","wrapped_key":"text","iv":"text","key_id":"text","key_version":"count"},
  'POST /v1/decrypt': {"plaintext":"text"},
  'POST /v1/hash': {"hash":"hash","key_id":"text"},
  'POST /v1/keys': kind1,
  'GET /v1/keys': {"keys":[kind1],"count":"count","total":"count","limit":"count","offset":"count"},
  'GET /v1/keys/:key_id': {"key_id":"text","name":"text","key_version":"count","status":"text","exportable":"truth","intake":"truth","created_at":"text","rotated_at":["text",null],"rotation_policy":[{"interval_days":"count"},null],"next_rotation_at":["text",null],"destroy_at":["text",null],"versions_total":"count","limit":"count","offset":"count","versions":[{"key_version":"count","created_at":"text","wraps":"count","unwraps":"count","last_unwrap_at":["text",null]}]},
  'GET /v1/keys/:key_id/public-key': {"key_id":"text","key_version":"count","intake_public_key":["text",null]},
  'POST /v1/keys/:key_id/rotate': kind1,
  'PUT /v1/keys/:key_id/rotation-policy': kind1,
  'POST /v1/keys/:key_id/disable': kind1,
  'POST /v1/keys/:key_id/enable': kind1,
  'DELETE /v1/keys/:key_id': kind1,
  'POST /v1/keys/:key_id/restore': kind1,
  'POST /v1/keys/:key_id/wrap': {"wrapped_key":"text","key_id":"text","key_version":"count"},
  'POST /v1/keys/:key_id/unwrap': {"dek":"text","key_id":"text","key_version":"count"},
  'POST /v1/keys/:key_id/rewrap': {"wrapped_key":"text","key_id":"text","key_version":"count","rewrapped":"truth"},
  'POST /v1/keys/:key_id/export': {"tenant_id":"text","key_id":"text","versions":[{"key_version":"count","encrypted":"text"}],"next_version":["count",null],"hash_key":"text","subjects":[[{"subject_id":"text","encrypted":"text"}],"optional"],"next_subject":[["text",null],"optional"],"subjects_key":["text","optional"]},
  'POST /v1/batch/wrap': {"wrapped_key":"text","key_id":"text","key_version":"count","reference":["text","optional"],"entry":[{"id":"count","hash":"text"},"optional"]},
  'POST /v1/batch/unwrap': {"dek":"text","key_id":"text","key_version":"count","reference":["text","optional"],"entry":[{"id":"count","hash":"text"},"optional"]},
  'POST /v1/batch/rewrap': {"wrapped_key":"text","key_id":"text","key_version":"count","rewrapped":"truth","reference":["text","optional"],"entry":[{"id":"count","hash":"text"},"optional"]},
  'POST /v1/batch/hash': {"hash":"hash","key_id":"text","reference":["text","optional"]},
  'POST /v1/subjects/show': {"subject_id":"text","created_at":"text","erased_at":["text",null]},
  'POST /v1/subjects/erase': {"subject_id":"text","erased_at":"text","entry":{"id":"count","hash":"text"}},
  'GET /v1/audit': {"logs":[{"id":"count","tenant_id":"text","action":"text","key_id":["text",null],"key_version":["count",null],"actor":"text","ip_address":["text",null],"metadata":"object","created_at":"text","hash":"text"}],"count":"count","total":["count",null],"limit":"count","offset":"count","total_at_least":["count","optional"]},
  'GET /v1/audit/verify': {"valid":["truth",null],"complete":"truth","next_id":["count",null],"next_row":["text",null],"checked":"count","first_id":["count",null],"last_id":["count",null],"purged_through":[{"id":"count","hash":"text"},null],"head":{"id":"count","hash":"text"},"errors":[{"id":["count",null],"reason":"text"}],"error_count":"count","checkpoint":[{"id":"count","hash":"text","valid":"truth"},null],"verified_at":"text"},
  'GET /v1/audit/checkpoint': {"checkpoint":"text","verifier_key":"text","tenant_id":"text","id":"count","hash":"text"},
  'GET /v1/audit/proof': {"proof":"text"},
  'POST /v1/api-keys': {"api_key_id":"text","name":"text","hint":"text","permissions":["text"],"key_ids":[["text"],null],"allowed_origins":[["text"],null],"expires_at":["text",null],"created_at":"text","created_by":"text","revoked_at":["text",null],"last_used_at":["text",null],"api_key":"text"},
  'GET /v1/api-keys': {"api_keys":[kind2],"count":"count","total":"count","limit":"count","offset":"count"},
  'GET /v1/api-keys/:api_key_id': kind2,
  'PATCH /v1/api-keys/:api_key_id': kind2,
  'DELETE /v1/api-keys/:api_key_id': kind2,
  'POST /v1/issuers': kind3,
  'GET /v1/issuers': {"issuers":[kind3],"count":"count","total":"count","limit":"count","offset":"count"},
  'GET /v1/issuers/:issuer_id': kind3,
  'PATCH /v1/issuers/:issuer_id': kind3,
  'DELETE /v1/issuers/:issuer_id': kind3,
  'GET /v1/usage': {"month":"text","operations":{"encrypt":"count","decrypt":"count","key.wrap":"count","key.unwrap":"count"},"encrypt_quota":["count",null],"subjects":"count"},
} as const;

/** What a response to a user of an issuer must contain, where that is less. */
export const kindsForUsers = {
  'GET /v1/audit': {"logs":[{"action":"text","key_id":["text",null],"created_at":"text","metadata":{"user":["text","optional"],"user_asserted":["truth","optional"],"outcome":["text","optional"],"code":["text","optional"]}}],"count":"count","total":["count",null],"limit":"count","offset":"count","total_at_least":["count","optional"]},
} as const;
