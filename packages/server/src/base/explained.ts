/** An error of the service itself. Its message has no secret, so the log contains the message. */
export class Explained extends Error {}
