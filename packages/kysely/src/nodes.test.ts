// Each kind of node that Kysely has, on the left and on the right of a comparison: one that can hold an encrypted column is refused, or
// the table says why it passes. The kinds come from Kysely, so that a new one asks for its row.
import { defineFields, EncryptedTableError, field, unencrypted } from '@eaas/sdk/fields';
import * as k from 'kysely';
import { describe, expect, test } from 'vitest';
import { encryptedColumns } from './index.ts';

type Node = k.OperationNode;

const fields = defineFields({
  patients: {
    lowEntropy: 'accepted',
    ...unencrypted('id', 'city'),
    name: field.text(),
    ssn: field.text().searchable(),
  },
});
const plugin = encryptedColumns(fields);
const secret = '078-05-1120';
const fingerprint = 'ab'.repeat(32);

const patients = k.TableNode.create('patients');
const columnOf = (name: string): Node => k.ReferenceNode.create(k.ColumnNode.create(name), patients);
const identifier = k.IdentifierNode.create('other');
const one = k.ValueNode.create(1);
const equal = k.OperatorNode.create('=');
const compared = (left: Node, right: Node): Node => k.BinaryOperationNode.create(left, equal, right);
/** A node whose members Kysely makes in several steps. */
const node = (kind: k.OperationNodeKind, members: object): Node => ({ kind, ...members });
const from = k.SelectQueryNode.createFrom([patients]);
const selecting = (held: Node): Node =>
  ({ ...from, selections: [k.SelectionNode.create(held as never)] }) as Node;

/** Makes a node of the kind that holds an expression. */
type Holder = (held: Node) => Node;

const holders: Partial<Record<k.OperationNodeKind, Holder>> = {
  AggregateFunctionNode: (held) => k.AggregateFunctionNode.create('min', [held]),
  AliasNode: (held) => k.AliasNode.create(held, identifier),
  AndNode: (held) => k.AndNode.create(one, held),
  BinaryOperationNode: (held) => k.BinaryOperationNode.create(one, k.OperatorNode.create('+'), held),
  CaseNode: (held) => node('CaseNode', { value: held, when: [] }),
  CastNode: (held) => k.CastNode.create(held, k.DataTypeNode.create('integer')),
  CheckConstraintNode: (held) => k.CheckConstraintNode.create(held),
  CollateNode: (held) => node('CollateNode', { expression: held, collation: identifier }),
  ColumnUpdateNode: (held) => k.ColumnUpdateNode.create(k.ColumnNode.create('city'), held),
  CommonTableExpressionNode: (held) =>
    k.CommonTableExpressionNode.create(k.CommonTableExpressionNameNode.create('other'), held),
  DefaultValueNode: (held) => k.DefaultValueNode.create(held),
  DeleteQueryNode: (held) => node('DeleteQueryNode', { from: k.FromNode.create([patients]), orderBy: held }),
  ExplainNode: (held) => node('ExplainNode', { options: held }),
  FetchNode: (held) => node('FetchNode', { rowCount: held, modifier: 'only' }),
  FromNode: (held) => k.FromNode.create([held]),
  FunctionNode: (held) => k.FunctionNode.create('lower', [held]),
  GeneratedNode: (held) => node('GeneratedNode', { expression: held }),
  GroupByItemNode: (held) => k.GroupByItemNode.create(held),
  GroupByNode: (held) => k.GroupByNode.create([held as never]),
  HavingNode: (held) => k.HavingNode.create(held),
  InsertQueryNode: (held) => node('InsertQueryNode', { into: patients, defaultValues: false, top: held }),
  JSONOperatorChainNode: (held) => node('JSONOperatorChainNode', { operator: equal, values: [held] }),
  JSONPathLegNode: (held) => node('JSONPathLegNode', { type: 'Member', value: held }),
  JSONPathNode: (held) => node('JSONPathNode', { pathLegs: [held] }),
  JSONReferenceNode: (held) =>
    k.JSONReferenceNode.create(held as never, node('JSONPathNode', { pathLegs: [] }) as never),
  JoinNode: (held) => k.JoinNode.create('InnerJoin', held),
  LimitNode: (held) => k.LimitNode.create(held),
  ListNode: (held) => k.ListNode.create([held]),
  MatchedNode: (held) => node('MatchedNode', { not: false, bySource: held }),
  MergeQueryNode: (held) => node('MergeQueryNode', { into: patients, using: held }),
  OffsetNode: (held) => k.OffsetNode.create(held),
  OnConflictNode: (held) => node('OnConflictNode', { indexWhere: held }),
  OnDuplicateKeyNode: (held) =>
    k.OnDuplicateKeyNode.create([k.ColumnUpdateNode.create(k.ColumnNode.create('city'), held)]),
  OnNode: (held) => k.OnNode.create(held),
  OrNode: (held) => k.OrNode.create(held, one),
  OrderByItemNode: (held) => k.OrderByItemNode.create(held),
  OrderByNode: (held) => k.OrderByNode.create([k.OrderByItemNode.create(held)]),
  OutputNode: (held) =>
    k.OutputNode.create([k.SelectionNode.create(k.FunctionNode.create('lower', [held]) as never)]),
  OverNode: (held) => k.OverNode.cloneWithOrderByItems(k.OverNode.create(), [k.OrderByItemNode.create(held)]),
  ParensNode: (held) => k.ParensNode.create(held),
  PartitionByItemNode: (held) => k.PartitionByItemNode.create(held as never),
  PartitionByNode: (held) => k.PartitionByNode.create([k.PartitionByItemNode.create(held as never)]),
  RawNode: (held) => k.RawNode.create(['lower(', ')'], [held]),
  ReferenceNode: (held) => held,
  ReturningNode: (held) =>
    k.ReturningNode.create([k.SelectionNode.create(k.FunctionNode.create('lower', [held]) as never)]),
  SelectModifierNode: (held) => node('SelectModifierNode', { modifier: 'ForUpdate', of: [held] }),
  SelectQueryNode: selecting,
  SelectionNode: (held) => k.SelectionNode.create(k.FunctionNode.create('lower', [held]) as never),
  SetOperationNode: (held) => k.SetOperationNode.create('union', selecting(held), false),
  TopNode: (held) => node('TopNode', { expression: held }),
  TupleNode: (held) => k.TupleNode.create([held, one]),
  UnaryOperationNode: (held) => k.UnaryOperationNode.create(k.OperatorNode.create('not'), held),
  UpdateQueryNode: (held) => node('UpdateQueryNode', { table: patients, where: k.WhereNode.create(held) }),
  UsingNode: (held) => k.UsingNode.create([held]),
  ValueListNode: (held) => k.ValueListNode.create([held]),
  ValuesNode: (held) => k.ValuesNode.create([k.ValueListNode.create([held])]),
  WhenNode: (held) => k.WhenNode.create(held),
  WhereNode: (held) => k.WhereNode.create(held),
  WithNode: (held) =>
    k.WithNode.create(
      k.CommonTableExpressionNode.create(k.CommonTableExpressionNameNode.create('other'), selecting(held)),
    ),
};

const definesTables = 'it defines tables, which has no values of rows';
const namesOnly = 'it names something, and holds no expression';

/** Why a kind cannot hold an expression with a column, in an operand or anywhere else in a query. */
const others: Partial<Record<k.OperationNodeKind, string>> = {
  AddColumnNode: definesTables,
  AddConstraintNode: definesTables,
  AddIndexNode: definesTables,
  AlterColumnNode: definesTables,
  AlterTableNode: definesTables,
  ColumnDefinitionNode: definesTables,
  CreateIndexNode: definesTables,
  CreateSchemaNode: definesTables,
  CreateTableNode: definesTables,
  CreateTypeNode: definesTables,
  CreateViewNode: definesTables,
  DropColumnNode: definesTables,
  DropConstraintNode: definesTables,
  DropIndexNode: definesTables,
  DropSchemaNode: definesTables,
  DropTableNode: definesTables,
  DropTypeNode: definesTables,
  DropViewNode: definesTables,
  ForeignKeyConstraintNode: definesTables,
  ModifyColumnNode: definesTables,
  PrimaryKeyConstraintNode: definesTables,
  ReferencesNode: definesTables,
  RefreshMaterializedViewNode: definesTables,
  RenameColumnNode: definesTables,
  RenameConstraintNode: definesTables,
  UniqueConstraintNode: definesTables,
  ColumnNode: 'it is the column of a reference',
  CommonTableExpressionNameNode: namesOnly,
  DataTypeNode: namesOnly,
  IdentifierNode: namesOnly,
  OperatorNode: namesOnly,
  OrActionNode: namesOnly,
  SchemableIdentifierNode: namesOnly,
  TableNode: namesOnly,
  DefaultInsertValueNode: 'it is the default of a column',
  PrimitiveValueListNode: 'it holds values only',
  SelectAllNode: 'it is all columns, which a query may return',
  ValueNode: 'it holds a value only',
};

/** A query that compares with the node, or with the value where the node is on the other side. */
function check(left: Node, right: Node): void {
  const query = { ...from, where: k.WhereNode.create(compared(left, right)) } as k.SelectQueryNode;
  plugin.transformQuery({ node: query, queryId: { queryId: 'test' } });
}

test('each kind of node that Kysely has stands in one of the two tables', () => {
  const classes = Object.entries(k).filter(([, value]) => typeof Object(value).is === 'function');
  const kinds = classes.map(([name]) => name).filter((name) => name !== 'QueryNode');
  const known = [...Object.keys(holders), ...Object.keys(others)];
  // Kysely exports one under another name than its kind.
  const named = kinds.map((name) => (name === 'PrimaryConstraintNode' ? 'PrimaryKeyConstraintNode' : name));
  expect(known.toSorted()).toEqual([...new Set(named)].toSorted());
});

describe.each(Object.entries(holders))('%s', (kind, holder) => {
  test('is of its kind', () => {
    expect(holder(columnOf('ssn')).kind).toBe(kind);
  });

  test.each(['name', 'ssn', 'ssn_index'])(
    'with the column %s is refused on both sides of a comparison',
    (name) => {
      const held = holder(columnOf(name));
      for (const [left, right] of [
        [held, k.ValueNode.create(secret)],
        [k.ValueNode.create(secret), held],
        [held, columnOf('city')],
        [columnOf('city'), held],
      ] as const) {
        const sending = () => check(left, right);
        expect(sending).toThrow(EncryptedTableError);
        expect(sending).not.toThrow(secret);
      }
    },
  );
});

describe.each([...new Set(k.OPERATORS)])('the operator `%s`', (name) => {
  const one = k.ValueNode.create(fingerprint);
  const many = k.PrimitiveValueListNode.create([fingerprint, fingerprint]);
  const isRefused = (column: string, right: Node): boolean => {
    const operator = k.OperatorNode.create(name);
    const where = k.WhereNode.create(k.BinaryOperationNode.create(columnOf(column), operator, right));
    try {
      plugin.transformQuery({ node: { ...from, where }, queryId: { queryId: 'test' } });
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(EncryptedTableError);
      return true;
    }
  };

  test('compares an index with fingerprints only if it finds the rows that the values would', () => {
    const findsRows = ['=', '!=', '<>', 'in', 'not in'].includes(name);
    expect([one, many].map((right) => isRefused('ssn_index', right))).toEqual([!findsRows, !findsRows]);
  });

  test('compares no encrypted column with plaintext, and only an index with a fingerprint', () => {
    for (const column of ['name', 'ssn', 'ssn_index']) {
      for (const value of [secret, 5, true, new Date(0)]) {
        expect(isRefused(column, k.ValueNode.create(value))).toBe(true);
        for (const list of [[value], [fingerprint, value], [value, fingerprint]]) {
          expect(isRefused(column, k.PrimitiveValueListNode.create(list))).toBe(true);
        }
      }
    }
    for (const right of [one, many]) expect(isRefused('name', right)).toBe(true);
  });

  test('compares an encrypted column with null only if it asks whether it is null', () => {
    const asksForNull = name === 'is' || name === 'is not';
    for (const column of ['name', 'ssn', 'ssn_index']) {
      expect(isRefused(column, k.ValueNode.createImmediate(null))).toBe(!asksForNull);
    }
  });
});

describe('what compares all that a query returns', () => {
  const ofResult: Readonly<Record<string, object>> = {
    '`order by` of a place': {
      orderBy: k.OrderByNode.create([k.OrderByItemNode.create(k.RawNode.createWithSql('1'))]),
    },
    '`order by` of a number': {
      orderBy: k.OrderByNode.create([k.OrderByItemNode.create(k.ValueNode.createImmediate(1))]),
    },
    '`group by` of a place': {
      groupBy: k.GroupByNode.create([k.GroupByItemNode.create(k.RawNode.createWithSql('1'))]),
    },
    '`group by` of a number': {
      groupBy: k.GroupByNode.create([k.GroupByItemNode.create(k.ValueNode.createImmediate(1))]),
    },
    '`distinct`': { frontModifiers: [k.SelectModifierNode.create('Distinct')] },
    ...Object.fromEntries(
      ['union', 'union all', 'intersect', 'intersect all', 'except', 'except all'].map((operator) => [
        `\`${operator}\``,
        {
          setOperations: [
            k.SetOperationNode.create(operator as k.SetOperator, selecting(columnOf('city')), false),
          ],
        },
      ]),
    ),
  };
  const returning =
    (members: object, ...names: string[]) =>
    () => {
      const selections = names.map((name) =>
        k.SelectionNode.create(
          name === '*' ? (k.SelectAllNode.create() as never) : (columnOf(name) as never),
        ),
      );
      const query = { ...from, selections, ...members } as k.SelectQueryNode;
      plugin.transformQuery({ node: query, queryId: { queryId: 'test' } });
    };

  test.each(Object.entries(ofResult))(
    '%s is refused with an encrypted column, and sent without',
    (_, members) => {
      for (const name of ['name', 'ssn', 'ssn_index', '*']) {
        expect(returning(members, name)).toThrow(EncryptedTableError);
        expect(returning(members, 'city', name)).toThrow(EncryptedTableError);
        expect(returning({}, 'city', name)).not.toThrow();
      }
      expect(returning(members, 'city')).not.toThrow();
    },
  );
});
