/** Why the program cannot work here: its configuration or its database. The message is a sentence for the operator. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}
