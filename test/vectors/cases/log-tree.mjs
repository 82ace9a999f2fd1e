import assert from 'node:assert/strict';
import { base64, fromHex, hex, sha256, utf8 } from '../reference/bytes.mjs';
import {
  checkInclusion,
  consistency,
  inclusion,
  leaf,
  leafHash,
  members,
  momentEntry,
  mth,
  position,
  prefixPath,
  prefixRoot,
  rootOfPath,
  tile,
  tilePath,
} from '../reference/log.mjs';
import { requireUniqueNames } from './places.mjs';

/** Head number n: whoever reads the vectors can make all of them. */
export const headOf = (n) => ({
  tenant_id: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
  id: n + 1,
  hash: sha256(utf8(String(n))),
});

const moment = (count, shown) => {
  const set = members(Array.from({ length: count }, (_, n) => headOf(n)));
  const root = prefixRoot(set);
  const time = 1_790_000_000_000 + count;
  const paths = shown.map((n) => {
    const member = set[n];
    const path = prefixPath(set, member);
    assert.deepEqual(rootOfPath(member.tenant_id, leaf(member), path), root);
    return {
      head: n,
      position: hex(position(member.tenant_id)),
      leaf: hex(leaf(member)),
      path: path.map(base64),
    };
  });
  const entry = momentEntry(time, root);
  return {
    name: `${count} tenants`,
    count,
    root: hex(root),
    paths,
    time,
    entry: String(entry),
    entry_leaf: hex(leafHash(entry)),
  };
};

const all = (count) => Array.from({ length: count }, (_, n) => n);

export function buildMoments() {
  const cases = [
    ...[0, 1, 2, 3, 7, 8].map((count) => moment(count, all(count))),
    moment(1_000, [0, 1, 499, 999]),
  ];
  assert.equal(cases[0].root, '00'.repeat(32));
  assert.equal(cases[1].root, cases[1].paths[0].leaf);
  requireUniqueNames(cases);
  return {
    description: 'Moments of the public log: the heads of all tenants as a compressed prefix tree.',
    format: [
      'cases: the tree has the heads 0 to `count` - 1. Head n is of the tenant `00000000-0000-4000-8000-<n as 12 hex digits>`, with the id n + 1 and the hash SHA-256(n as decimal text).',
      'root(set, depth) is 32 zero bytes for an empty set, the leaf for one tenant, else SHA-256(01 || root(those whose position has bit 0 at depth) || root(those with bit 1)). position = SHA-256(pae("eaas log tenant v1", tenant_id)), read from the highest bit of the first byte; leaf = SHA-256(00 || position || SHA-256(pae("eaas log head v1", tenant_id, id, hash))). `root`, `position` and `leaf` are hex.',
      '`path` has the siblings (base64) from the leaf up; the last is at depth 0.',
      '`entry` is what the log gets for this root at `time` (milliseconds), and `entry_leaf` its leaf hash of RFC 6962 (hex).',
    ],
    cases,
  };
}

// The entries and the roots that implementations of RFC 6962 share, from google/certificate-transparency.
const shortEntries = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const shortRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

function log(name, entries, { indexes, olds }) {
  const d = entries.map(leafHash);
  const size = d.length;
  const root = mth(d);
  const tiles = [];
  for (let level = 0; 256 ** level <= size; level++) {
    const n = Math.floor((size / 256 ** level - 1) / 256);
    const bytes = tile(level, n, d);
    tiles.push({ path: tilePath(level, n, bytes.length / 32), sha256: hex(sha256(bytes)) });
  }
  const proofs = indexes.map((index) => {
    const path = inclusion(index, d);
    assert.ok(checkInclusion(d[index], index, size, path, root));
    return { index, leaf: hex(d[index]), path: path.map(base64) };
  });
  const grown = olds.map((old) => ({
    old,
    old_root: hex(mth(d.slice(0, old))),
    proof: consistency(old, d).map(base64),
  }));
  return { name, size, root: hex(root), last_tiles: tiles, inclusion: proofs, consistency: grown };
}

export function buildLogTree() {
  const short = shortEntries.map(fromHex);
  for (const [size, root] of shortRoots.entries())
    assert.equal(hex(mth(short.slice(0, size).map(leafHash))), root);
  const decimal = (size) => Array.from({ length: size }, (_, n) => utf8(String(n)));
  const cases = [
    log('eight entries', short, { indexes: all(8), olds: all(9) }),
    ...[1, 255, 256, 257, 300].map((size) =>
      log(`${size} entries`, decimal(size), {
        indexes: [0, size >> 1, size - 1].filter((n, i, list) => list.indexOf(n) === i),
        olds: [0, size >> 1, size - 1, size].filter((n, i, list) => list.indexOf(n) === i),
      }),
    ),
    log('70000 entries', decimal(70_000), {
      indexes: [0, 65_535, 65_536, 69_999],
      olds: [1, 65_536, 69_632],
    }),
  ];
  // The sizes are the example of tlog-tiles.
  assert.deepEqual(
    cases.at(-1).last_tiles.map(({ path }) => path),
    ['tile/0/273.p/112', 'tile/1/001.p/17', 'tile/2/000.p/1'],
  );
  requireUniqueNames(cases);
  return {
    description:
      'The Merkle tree of the public log (RFC 6962), its tiles (c2sp.org/tlog-tiles) and its proofs.',
    format: [
      'cases: entry n is the decimal text of n. The entries of "eight entries" are in `short_entries` (hex), and `short_roots` has the root of each size from 0.',
      '`root`, `leaf` and `old_root` are hex. `last_tiles` has the last tile of each level with the SHA-256 of its bytes (hex).',
      '`inclusion` has the path (base64) from the entry `index` to `root`, `consistency` the proof that the log of `old` entries is its beginning.',
    ],
    short_entries: shortEntries,
    short_roots: shortRoots,
    cases,
  };
}
