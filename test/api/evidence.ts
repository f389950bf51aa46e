import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExportVerification, verifyExport } from '@waymark/proof/export/verify.ts';
import { createNoteSigner, parseVerifierKey } from '@waymark/proof/signed-note.ts';
import type { Answer } from './client.ts';
import { bodyOf, type Session } from './session.ts';

/** The private key of the notaries under test. All notaries of one installation have the same key. */
export const notaryKey = Buffer.alloc(32, 7);
const coveredWithinMs = 120_000;

/** An account's tree at a checkpoint. */
export type Tree = {
  readonly checkpoint: string;
  readonly size: number;
  readonly root: string;
  readonly index: number;
  readonly path: readonly string[];
};

/** Returns the number of the checkpoint of a tree. */
export const numberOf = ({ checkpoint }: Tree): string => /^number (\d+)$/m.exec(checkpoint)?.[1] ?? '';

/** Sends a request until a checkpoint covers what it asks for. */
export const covered = async (me: Session, path: string): Promise<Answer> => {
  for (const deadlineMs = performance.now() + coveredWithinMs; ; await sleep(100)) {
    const answer = await me.get(`/audit/v1${path}`);
    if (answer.status === 409) expect(answer.headers).toMatchObject({ 'retry-after': '60' });
    const isPending = [409, 503].includes(answer.status);
    if (!isPending || performance.now() > deadlineMs) return answer;
  }
};

export const coveredJson = async <Body>(me: Session, path: string): Promise<Body> => bodyOf<Body>(await covered(me, path), 200);

const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

/** Returns what the second verifier says of an export. */
const verifiedInPython = (text: string, key: string): object => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-export-'));
  const [keys, file] = [join(folder, 'keys'), join(folder, 'export.ndjson')];
  writeFileSync(keys, `${key}\n`);
  writeFileSync(file, text);
  const program = join(import.meta.dirname, '../../docs/internals/proofs/verify_export.py');
  const { stdout } = spawnSync('python3', [program, keys, file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return JSON.parse(stdout);
};

/** Fetches all pages of an export, and verifies them offline. */
export const exported = async (me: Session, path: string): Promise<ExportVerification> => {
  let text = '';
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Answer = await covered(me, next);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    text += answer.text;
    next = /\/audit\/v1(\/[^>]*)>; rel="next"/.exec(`${answer.headers['link'] ?? ''}`)?.[1];
  }
  // The key of the installation is its own secret here: its name is that of the checkpoint's origin.
  const { checkpoint } = await coveredJson<Tree>(me, '/checkpoints/latest');
  const name = checkpoint.split('\n')[0]?.replace(/\/[^/]*$/, '') ?? '';
  const { verifierKey } = createNoteSigner(name, notaryKey);
  if (hasPython) expect(verifiedInPython(text, verifierKey)).toMatchObject({ sound: true, findings: [] });
  async function* lines() {
    for (const line of text.trimEnd().split('\n')) yield Buffer.from(line);
  }
  return verifyExport(lines(), { keys: [parseVerifierKey(verifierKey)], checkpoints: [] });
};
