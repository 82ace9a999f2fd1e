// Checks the tree of a query before Kysely compiles it. Encrypted columns may be written with ciphertexts, selected, counted and
// compared with null; index columns may also be compared with fingerprints. Whatever else names one throws.
import { EncryptedTableError, type EncryptedTableErrorCode } from '@eaas/sdk/fields';
import * as k from 'kysely';
import { type Column, type Columns, type EncryptedTable, keyOf } from './columns.ts';

type Node = k.OperationNode;
type Members<Of> = Partial<Omit<Of, 'kind'>>;
type Query = Members<k.SelectQueryNode> & Members<k.InsertQueryNode> & Members<k.UpdateQueryNode>;

const remedies = {
  compute: 'search its index by `records.where`, or compute and sort after `records.decryptRows`',
  encrypt: 'write all that `records.encryptRow` returns',
  short: 'send it by a database without this plugin, or define the index with 64 bits or more',
};

const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}_$]+/gu)?.map(keyOf) ?? [];
const isNull = (node: Node) =>
  k.DefaultInsertValueNode.is(node) || (k.ValueNode.is(node) && node.value === null);
const originOf = (node: Node): Node => (k.AliasNode.is(node) ? node.node : node);
/** The name of the table that a node is, as `keyOf` makes it, or an empty text. */
const tableIn = (node: Node) => (k.TableNode.is(node) ? keyOf(node.table.identifier.name) : '');
/** The name of the column that a node is, or an empty text. */
const columnIn = (node: Node): string => {
  if (k.ReferenceNode.is(node)) return columnIn(node.column);
  return k.ColumnNode.is(node) ? node.column.name : '';
};
const nameIn = (node: Node): string => {
  if (k.ReferenceNode.is(node)) return nameIn(node.column);
  return k.SelectAllNode.is(node) ? '*' : keyOf(columnIn(node));
};
const isSql = (node: Node) => k.RawNode.is(node) || k.ValueNode.is(node);

/** All nodes of a tree but its values. */
function* nodesIn(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  if ('kind' in node) yield node as Node;
  if (k.ValueNode.is(node as Node) || k.PrimitiveValueListNode.is(node as Node)) return;
  for (const member of Object.values(node)) yield* nodesIn(member);
}

/** Throws for a query that cannot be right. If it names an encrypted table, the names of the columns count in all its tables. */
export function check(root: Node, known: ReadonlyMap<string, EncryptedTable>): void {
  const nodes = [...nodesIn(root)];
  const named = new Set(nodes.map(tableIn));
  const tables = [...known].filter(([key]) => named.has(key)).map(([, table]) => table);
  const columns = new Map<string, Column>(tables.flatMap((table) => [...table.columns]));
  function refuse(
    key: string | undefined,
    code: EncryptedTableErrorCode,
    problem: string,
    remedy: string,
  ): never {
    const table = tables.find((each) => each.columns.has(key ?? ''))?.name;
    const column = columns.get(key ?? '')?.name ?? key;
    throw new EncryptedTableError(code, { table, column }, problem, remedy);
  }
  /** Whether the rows of a query have encrypted columns. */
  const returnsAny = (node: Node): boolean => {
    const { returning, selections = returning?.selections ?? [] } = node as Query;
    if (tables.length === 0) return false;
    const names = selections.map(({ selection }) => originOf(selection));
    return names.some((each) => nameIn(each) === '*' || isOne(each));
  };
  const isOne = (node: Node): boolean => columns.has(nameIn(node)) || returnsAny(node);
  // New names of encrypted columns count too, and new names of these.
  for (const _ of nodes) {
    for (const { node, alias } of nodes.filter(k.AliasNode.is)) {
      if (k.IdentifierNode.is(alias) && !columns.has(keyOf(alias.name)) && isOne(node)) {
        const renamed = { name: alias.name, isIndex: false, isShort: false, partners: [] };
        columns.set(keyOf(alias.name), { ...renamed, accepts: () => false });
      }
    }
  }

  function walk(node: unknown): void {
    if (Array.isArray(node)) for (const each of node) walk(each);
    if (typeof node !== 'object' || node === null || !('kind' in node)) return;
    const given = node as Node;
    const column = columns.get(nameIn(given));
    // A column that is no reference is what an insert can conflict with.
    if (column && !(column.isIndex && k.ColumnNode.is(given))) {
      refuse(nameIn(given), 'not_supported', 'the query computes with ciphertexts', remedies.compute);
    }
    if (k.ValueNode.is(given) || k.PrimitiveValueListNode.is(given) || k.ReferenceNode.is(given)) return;
    if (k.SelectionNode.is(given) && columns.has(nameIn(originOf(given.selection)))) return;
    if (k.BinaryOperationNode.is(given) && isComparison(given)) return;
    if (k.ColumnUpdateNode.is(given)) return walk(given.value);
    if (k.RawNode.is(given)) requirePlain(given);
    if (given.kind.endsWith('QueryNode')) requireCiphertexts(given as Query);
    if (isOfResult(given) && (nodes.some(returnsAny) || k.MergeQueryNode.is(given))) {
      refuse(
        undefined,
        'not_supported',
        `a ${given.kind} compares or moves encrypted columns`,
        remedies.compute,
      );
    }
    for (const [name, each] of Object.entries(given)) {
      if (name !== 'columns' || !k.InsertQueryNode.is(given)) walk(each);
    }
  }

  /** Whether a node compares all that a query returns, orders by a place, or names columns anew. */
  const isOfResult = (node: Node) =>
    (k.MergeQueryNode.is(node) && tables.length > 0) ||
    k.SetOperationNode.is(node) ||
    (k.SelectModifierNode.is(node) && node.modifier === 'Distinct') ||
    (k.OrderByItemNode.is(node) && isSql(node.orderBy)) ||
    (k.GroupByItemNode.is(node) && isSql(node.groupBy)) ||
    (k.CommonTableExpressionNameNode.is(node) && node.columns) ||
    (k.AliasNode.is(node) && !k.IdentifierNode.is(node.alias));

  function requirePlain({ sqlFragments, parameters }: k.RawNode): void {
    const ids = parameters.map((each) => (k.IdentifierNode.is(each) ? each.name : tableIn(each)));
    const words = wordsOf([...sqlFragments, ...ids].join(' '));
    for (const { name } of [...known.values(), ...columns.values()]) {
      if (wordsOf(name).every((word) => words.includes(word))) {
        refuse(keyOf(name), 'not_supported', 'raw SQL names it', 'send it by a database without this plugin');
      }
    }
  }

  function isComparison({ leftOperand, operator, rightOperand }: k.BinaryOperationNode): boolean {
    if ([...nodesIn([leftOperand, rightOperand])].some(returnsAny)) {
      refuse(
        undefined,
        'not_supported',
        'a comparison has a subquery with encrypted columns',
        remedies.compute,
      );
    }
    const column = columns.get(nameIn(leftOperand));
    const by = k.OperatorNode.is(operator) ? operator.operator : '';
    if (column && /^is(?: not)?$/.test(by)) return isNull(rightOperand);
    const list = k.PrimitiveValueListNode.is(rightOperand) ? rightOperand.values : undefined;
    const values = list ?? (k.ValueNode.is(rightOperand) ? [rightOperand.value] : undefined);
    if (column && values?.every(column.accepts) === false) {
      requireLong(column);
      refuse(nameIn(leftOperand), 'not_encrypted', 'it is compared with plaintext', remedies.compute);
    }
    return column?.isIndex === true && values !== undefined && /^(?:=|!=|<>|in|not in)$/.test(by);
  }

  /** Throws for a column whose fingerprints are too short to tell from plaintext. */
  function requireLong({ name, isShort }: Column): void {
    if (!isShort) return;
    const problem = 'fingerprints of less than 64 bits cannot be told from plaintext';
    refuse(keyOf(name), 'not_supported', problem, remedies.short);
  }

  /** Throws for a column of an encrypted table that the definition does not list. */
  function requireListed(written: Node, table: EncryptedTable): void {
    const key = nameIn(written);
    if (table.columns.has(key) || table.unencrypted.has(key)) return;
    const column = columnIn(written);
    throw new EncryptedTableError(
      'definition',
      { table: table.name, column },
      'the definition does not list this column, so its values could be those of an encrypted one',
      `correct the name, or list it with \`unencrypted('${column}')\``,
    );
  }

  function requireCiphertexts(query: Query): void {
    const table = originOf(query.into ?? query.table ?? root);
    const knownTable = known.get(tableIn(table));
    const own: Columns = k.TableNode.is(table) ? (knownTable?.columns ?? new Map()) : columns;
    const allUpdates = [query.updates, query.onConflict?.updates, query.onDuplicateKey?.updates];
    if (knownTable) {
      const updated = allUpdates.flatMap((updates) => updates ?? []).map(({ column }) => column);
      for (const each of [...(query.columns ?? []), ...updated]) requireListed(each, knownTable);
    }
    const requireAll = (names: readonly string[], written: readonly Node[]) => {
      for (const [at, name] of names.entries()) {
        const column = own.get(name);
        const node = written[at];
        const isWhole = column?.partners.every((partner) => names.includes(partner)) ?? true;
        const isSealed =
          !column || !node || isNull(node) || (k.ValueNode.is(node) && column.accepts(node.value));
        if (!isWhole || !isSealed) {
          if (column && !isSealed) requireLong(column);
          refuse(name, 'not_encrypted', 'plaintext, or a part of a row', remedies.encrypt);
        }
      }
    };
    const { columns: written = [], values, onConflict } = query;
    for (const item of values && k.ValuesNode.is(values) ? values.values : []) {
      requireAll(
        written.map(nameIn),
        k.ValueListNode.is(item) ? item.values : item.values.map((value) => k.ValueNode.create(value)),
      );
    }
    if (values && !k.ValuesNode.is(values) && (own.size > 0 || returnsAny(values))) {
      const name = k.TableNode.is(table) ? table.table.identifier.name : 'a table';
      refuse(undefined, 'not_encrypted', `rows of a query go into ${name}`, remedies.encrypt);
    }
    for (const updates of allUpdates) {
      const names = (updates ?? []).map(({ column }) => nameIn(column));
      const isOfRow = updates === query.updates || onConflict?.columns?.map(nameIn).join() === 'id';
      if (!isOfRow && names.some((name) => own.has(name))) {
        refuse(undefined, 'row_unknown', 'the row that is there can have another id', 'update it by its id');
      }
      requireAll(
        names,
        (updates ?? []).map(({ value }) => value),
      );
    }
  }
  walk(root);
}
