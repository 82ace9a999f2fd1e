// Who can sign in, and what the sign-in says about them.

/** `patient` is the subject of a person's data, an opaque id. Somebody who returns after an erasure gets a new one. */
export const people = {
  ada: { name: 'Ada Lovelace', patient: 'c0a8f5b2-6f0e-4d7e-9c53-0a4d6f1f2b11' },
  ben: { name: 'Ben Franklin', patient: '5e1b4f0d-2c55-4a0f-8f0e-9d2b7b1c6a22' },
  chen: { name: 'Dr. Chen', role: 'doctor' },
};

/** Patients and staff have an audience each, so that a token of one page is none for the other. */
export const audiences = { patients: 'urn:clinic:patients', staff: 'urn:clinic:staff' };
