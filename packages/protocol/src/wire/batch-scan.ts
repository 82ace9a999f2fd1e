import { InputError } from '../errors.ts';
import { JsonScan, notJson, type Token, token } from './json-scan.ts';
import { limits } from './limits.ts';

export interface BatchItem {
  readonly start: number;
  end: number;
  /** The reason why the item is refused, or null. */
  fault: string | null;
  /**
   * Whether the item exceeds a limit. The caller must not parse such an item, because parsing it could block the
   * thread.
   */
  exceedsLimit: boolean;
  isWellFormed: boolean;
  reference: string | undefined;
}

const frame = Array.from('{":[]}', (character) => character.charCodeAt(0));

export class BatchScan extends JsonScan {
  readonly items: BatchItem[] = [];
  #item: BatchItem | null = null;
  #next = 0;
  #earlierValues = 0;
  #isReference = false;

  override scan(most: number): boolean {
    if (super.scan(most)) return true;
    if (this.#next < frame.length) throw new InputError(notJson);
    return false;
  }

  protected override take(kind: Token, start: number, end: number): void {
    const closes = kind === token.closeList || kind === token.closeObject;
    const endsItem = this.depth === 2 && (closes || kind === token.comma);
    if (endsItem) this.#endItem(start, closes);
    if (this.depth < 2 || (endsItem && closes)) this.#takeOfFrame(kind, start, end);
    else this.#takeOfItem(kind, start, end);
    if (this.#next === 4 && !this.#item) this.#beginItem(end);
  }

  protected override get subject(): string {
    return this.#item ? 'the item' : super.subject;
  }

  protected override refuse(reason: string, exceedsLimit = true): void {
    if (!this.#item) throw new InputError(reason);
    this.#item.fault ??= reason;
    this.#item.exceedsLimit ||= exceedsLimit;
  }

  protected override checkValues(): void {
    if (this.#earlierValues + this.values > limits.jsonValues) {
      throw new InputError(`the body has more than ${limits.jsonValues} values`);
    }
  }

  #takeOfFrame(kind: Token, start: number, end: number): void {
    if (kind === token.comma && this.#next === 5) {
      // The field `items` must be the only field of the body. The scan continues after the comma to read the name of
      // the second field, because the error shows this name.
      this.#next = 1;
      return;
    }
    if (kind !== frame[this.#next]) throw new InputError(this.#reason(kind));
    this.#next++;
    super.take(kind, start, end);
    if (kind !== token.colon) return;
    const name = this.readText();
    if (name !== 'items') throw new InputError(`unknown field \`${name.slice(0, 64)}\``);
  }

  #reason(kind: Token): string {
    if (this.#next === 0) return 'the body must be an object';
    if (this.#next === 1 && kind === token.closeObject && this.items.length === 0)
      return '`items` is missing';
    return this.#next === 3 ? '`items` must be a list' : notJson;
  }

  #takeOfItem(kind: Token, start: number, end: number): void {
    if (this.#item?.exceedsLimit && kind === token.colon) this.skipName();
    else if (this.#item?.exceedsLimit && kind === token.comma) this.checkValues();
    else super.take(kind, start, end);
    if (this.depth === 3) this.#noteReference(kind, start, end);
  }

  #noteReference(kind: Token, start: number, end: number): void {
    if (this.#item && this.#isReference) {
      const isShort = kind === token.string && end - start <= limits.jsonName;
      this.#item.reference = isShort ? this.readText() : undefined;
    }
    this.#isReference = kind === token.colon && this.name === 'reference';
  }

  #beginItem(start: number): void {
    this.#item = {
      start,
      end: start,
      fault: null,
      exceedsLimit: false,
      isWellFormed: true,
      reference: undefined,
    };
    this.#countEarlier();
    this.names = 0;
    this.isWellFormed = true;
  }

  #endItem(end: number, isLast: boolean): void {
    const item = this.#item;
    this.#item = null;
    const isEmpty = this.values === 0;
    this.#countEarlier();
    if (item && !isEmpty) this.items.push({ ...item, end, isWellFormed: this.isWellFormed });
    const count = this.items.length;
    if (isLast ? count === 0 : count >= limits.batchItems) {
      throw new InputError(`\`items\` must have 1 to ${limits.batchItems} items`);
    }
    if (isEmpty) throw new InputError(notJson);
  }

  #countEarlier(): void {
    this.#earlierValues += this.values;
    this.values = 0;
  }
}
