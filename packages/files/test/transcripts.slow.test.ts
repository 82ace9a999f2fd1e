// What a person types in a shell, and what it prints. Each begins in a folder with random bytes in `a`, and `a.eaas`.
// A command that must fail is followed by `|| echo $?`, because the first other failure ends the lines.
import { whereAvailable } from '@eaas/test-kit/available';
import type { Finished } from '@eaas/test-kit/program';
import { expect, test } from 'vitest';
import { newAccount, newPlace } from './command-line.ts';

const { tenant, keyId, env, client } = await newAccount();
const { key_id: other } = await tenant.newKey();
const { key_id: intake } = await tenant.newKey({ intake: true });
const { intake_public_key: publicKey } = await client.publicKey(intake);
const names = { KEY: keyId, OTHER: other, INTAKE: intake, PUBLIC_KEY: publicKey ?? '' };

const prelude = String.raw`set -e
head --bytes 200000 /dev/urandom > a
eaas-files encrypt a
flip() {
  local byte=$(($(od -An -tu1 -j $2 -N 1 $1) ^ 1))
  printf "\\x$(printf %x $byte)" | dd of=$1 bs=1 seek=$2 conv=notrunc status=none
}
`;

type Typed = [what: string, lines: string, stdout?: string, stderr?: unknown];

const typed = async (lines: string): Promise<Finished> =>
  (await newPlace()).type(prelude + lines, { ...env, ...names });
const printed = (stdout = '', stderr: unknown = '') => ({ code: 0, stdout, stderr });
const says = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const exists = (name: string): string =>
  `${name} exists: add --force to overwrite it, or choose another --out.\n`;
const unreadable = (name: string): string =>
  `box/${name} cannot be read (its name is not UTF-8, so rename it).\n`;
const authentic = (bytes: number): string =>
  `a.eaas: decryption failed after ${bytes} authentic bytes: the file was cut short or altered there\n`;

const failures: Typed[] = [
  [
    'no file is overwritten without --force',
    `echo b > b
    for command in 'encrypt a' 'decrypt a.eaas' 'encrypt a --out b'; do
      before=$(sha256sum *)
      eaas-files $command || echo $?
      [ "$before" = "$(sha256sum *)" ]
      eaas-files $command --force
    done
    ls`,
    '1\n1\n1\na\na.eaas\nb\n',
    exists('a.eaas') + exists('a') + exists('b'),
  ],
  [
    'a named pipe is refused as output, even with --force',
    'mkfifo pipe; eaas-files decrypt a.eaas --out pipe --force || echo $?; test -p pipe',
    '1\n',
    'pipe is not a file: pass `--out -` for standard output, or choose another --out.\n',
  ],
  [
    'a folder on a file system without files is refused at once',
    'eaas-files decrypt a.eaas --out /proc/eaas/box/a || echo $?',
    '1\n',
    says(/^a\.eaas: ENOENT: /),
  ],
  [
    'if one of several output files exists, none is written',
    'echo b > b; eaas-files encrypt b a || echo $? $(ls)',
    '1 a a.eaas b\n',
    exists('a.eaas'),
  ],
  ...(
    [
      ['cut short', 'truncate --size 150000 a.eaas', 131_072],
      ['altered', 'flip a.eaas 100000', 65_536],
      ['altered at its end', 'flip a.eaas $(($(stat -c %s a.eaas) - 5))', 196_608],
    ] as const
  ).map(([how, damage, bytes]): Typed => [
    `a file that is ${how} is not decrypted, even with --force, and the error says how much is authentic`,
    `${damage}; cp a before; eaas-files decrypt a.eaas --force || echo $? $(ls); cmp a before`,
    '1 a a.eaas before\n',
    authentic(bytes),
  ]),
  [
    'of a ciphertext of which only 0 or 100 bytes are left, each command says that it was cut short',
    `for size in 0 100; do
      head --bytes $size a.eaas > s.eaas
      for command in 'decrypt --out b' inspect rewrap; do eaas-files $command s.eaas || echo -n $?; done
    done`,
    '111111',
    says(/^(?:s\.eaas: .* cut short.*\n){6}$/),
  ],
  [
    'of base64 with line breaks, the error says to remove them',
    'base64 a.eaas | eaas-files decrypt || echo $?',
    '1\n',
    says(/contains a space or a line break: remove it/),
  ],
  [
    'a damaged file does not stop the decryption of the others',
    `mkdir box
    cp a.eaas box/1.eaas
    cp a box/2.eaas
    cp a.eaas box/3.eaas
    eaas-files decrypt -r box || echo $? $(ls box)`,
    '1 1 1.eaas 2.eaas 3 3.eaas\n',
    says(/^box\/2\.eaas: not a/),
  ],
  ...(
    [
      ['encrypt', 'a', '', '1 d d.eaas\n'],
      ['rewrap', 'a.eaas', '.eaas', '1 d.eaas\n'],
    ] as const
  ).map(([command, file, ending, stdout]): Typed => [
    `${command} reports names that are not UTF-8 in a folder, and goes on with the others`,
    String.raw`mkdir -p box/$'c\xff'; for name in $'b\xff' d; do cp ${file} "box/$name${ending}"; done
      eaas-files ${command} -r box > log || echo $? $(ls box | grep ^d)`,
    stdout,
    unreadable(`b\uFFFD${ending}`) + unreadable('c\uFFFD'),
  ]),
  [
    'a file under another key than EAAS_KEY_ID is refused, unless --any-key or --key allows its key',
    `export EAAS_KEY_ID=$OTHER
    line='eaas-files decrypt a.eaas --out b'
    $line || echo $? $(ls)
    for option in --any-key "--key $OTHER --key $KEY"; do $line $option --force; cmp a b; done`,
    '1 a a.eaas\n',
    `a.eaas: the file is under the key ${keyId}, but only ${other} is accepted: if this is the right file, ` +
      `pass --key ${keyId}\n`,
  ],
  [
    'a command fails if its output cannot be written',
    'eaas-files inspect a.eaas --json > /dev/full || echo $?',
    '4\n',
    says(/^Standard output cannot be written: ENOSPC/),
  ],
  [
    'the message about a path escapes its control characters',
    String.raw`eaas-files decrypt $'a\e\u009b31m\x7f' || echo refused`,
    'refused\n',
    says(/"a\\u001b\\u009b31m\\u007f"/),
  ],
  [
    'a reader that closes the pipe early ends the command silently',
    'set +o pipefail; eaas-files decrypt a.eaas --out - | head --bytes 5 | cmp - <(head --bytes 5 a)',
  ],
];
test.each(failures)('%s', async (_what, lines, stdout, stderr) => {
  expect(await typed(lines)).toEqual(printed(stdout, stderr));
});

whereAvailable('an account other than root', process.getuid?.() !== 0, () => {
  test('encrypt reports a folder that cannot be read, and goes on with the other files', async () => {
    const lines = 'mkdir -p box/locked; cp a box/b; chmod 0 box/locked; eaas-files encrypt -r box || ls box';
    const stderr = 'box/locked cannot be read (EACCES).\n';
    expect(await typed(lines)).toEqual(printed('b\nb.eaas\nlocked\n', stderr));
  });
});

/** What `encrypt` skips in a folder. */
const encrypted = `Skipped 4 entries that are not files:
  box/dead (link)
  box/folder (link)
  box/in/pipe (pipe)
  box/link (link)
`;
/** What commands skip that read. A folder behind a link can contain files that end in .eaas. */
const skipped = `Skipped 4 entries that are not files:
  box/folder (link)
  box/in/pipe.eaas (pipe)
  box/link.eaas (link)
  box/socket.eaas (socket)
`;

const successes: Typed[] = [
  [
    'encrypt and decrypt without a path read standard input and write standard output',
    'cat a | eaas-files encrypt | tee piped | eaas-files decrypt | cmp - a; ! cmp --silent piped a',
  ],
  [
    'decrypt restores the name and the permissions of a file',
    `echo ring twice > plan
    chmod 640 plan
    eaas-files encrypt plan
    mv plan before
    eaas-files decrypt plan.eaas
    cmp plan before
    stat -c %a plan plan.eaas`,
    '640\n640\n',
  ],
  [
    'decrypt gives no permissions that the umask forbids',
    `for modes in '077 666' '022 755' '027 4777'; do
      set -- $modes
      chmod $2 a.eaas
      rm -rf b out
      (umask $1 && eaas-files decrypt a.eaas --out b && eaas-files decrypt a.eaas --out out/b)
      echo $(stat -c %a b out/b)
    done`,
    '600 600\n755 755\n750 750\n',
  ],
  [
    'a folder with subfolders is the same after encrypt and decrypt',
    `mkdir -p photos/2026
    cp a photos/a.jpg
    touch 'photos/2026/b c.jpg'
    eaas-files encrypt --recursive photos --out away
    eaas-files decrypt -r away --out back
    diff --recursive photos back
    find away | sort
    eaas-files encrypt -r photos
    eaas-files encrypt -r photos --force
    find . -name '*.eaas.eaas'`,
    'away\naway/2026\naway/2026/b c.jpg.eaas\naway/a.jpg.eaas\n',
  ],
  [
    'encrypt follows a symbolic link only if the command line names it',
    `mkdir box
    echo 1 > box/a
    ln -s a box/link
    ln -s .. box/up
    eaas-files encrypt -r box --out sealed
    eaas-files encrypt box/link
    eaas-files decrypt box/link.eaas --out -
    ls sealed`,
    '1\na.eaas\n',
    'Skipped 2 entries that are not files:\n  box/link (link)\n  box/up (link)\n',
  ],
  [
    'every command counts and names the links, pipes and sockets that it skips in folders',
    `mkdir -p box/in
    cd box
    cp ../a ../a.eaas .
    mkfifo in/pipe in/pipe.eaas
    ln -s a link
    ln -s a.eaas link.eaas
    ln -s in folder
    ln -s none dead
    node -e 'require("node:net").createServer().listen("socket.eaas", () => process.exit())'
    cd ..
    eaas-files encrypt --quiet -r box --out e
    eaas-files inspect -r box > log
    eaas-files rewrap -r box --json > log`,
    '',
    encrypted + skipped + skipped,
  ],
  [
    'several output files are written to the folder of --out',
    `mkdir b
    echo 1 > one
    echo 2 > b/two
    eaas-files encrypt one b/two --out sealed
    eaas-files decrypt sealed/two.eaas --out -
    ls sealed`,
    '2\none.eaas\ntwo.eaas\n',
  ],
  [
    'decrypt needs the context of a file, but not its original name',
    `echo bound > c
    eaas-files encrypt c --context document=17 --context version=a=b
    mv c.eaas renamed.eaas
    line='eaas-files decrypt renamed.eaas --out - --context version=a=b'
    $line || echo $?
    $line --context document=17`,
    '1\nbound\n',
    says(/^renamed\.eaas: decryption failed: /),
  ],
  [
    'a file for a public key is encrypted without the service, and decrypted with a key, also after rewrap',
    `echo $PUBLIC_KEY > forms.pub
    (unset EAAS_BASE_URL EAAS_API_KEY EAAS_KEY_ID
    eaas-files encrypt a --public-key forms.pub --context form=7 --out f.eaas)
    before=$(stat -c %s f.eaas)
    for rewrap in true 'eaas-files rewrap f.eaas'; do
      $rewrap > log
      eaas-files decrypt f.eaas --key $INTAKE --context form=7 --out copy --force
      cmp a copy
    done
    echo $((before - $(stat -c %s f.eaas))) bytes less`,
    '1096 bytes less\n',
  ],
];
test.each(successes)('%s', async (_what, lines, stdout, stderr) => {
  expect(await typed(lines)).toEqual(printed(stdout, stderr));
});
