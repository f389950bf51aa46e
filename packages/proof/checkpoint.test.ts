import {
  type Checkpoint,
  checkpointDigest,
  checkpointText,
  isRefusedCheckpoint,
  keyNameOf,
  openCheckpoint,
  originOf,
} from './checkpoint.ts';
import { leafHash, textHash } from './hashes.ts';
import { createNoteSigner, parseVerifierKey } from './signed-note.ts';

const installation = '0a0a0a0a-0b0b-0c0c-0d0d-0e0e0e0e0e0e';
const signer = createNoteSigner(keyNameOf(installation), Buffer.alloc(32, 1));
const next = createNoteSigner(keyNameOf(installation), Buffer.alloc(32, 2));
const key = parseVerifierKey(signer.verifierKey);
const digest = textHash('an earlier checkpoint');

const some: Checkpoint = {
  origin: originOf(installation, 'first'),
  size: 3,
  root: leafHash('root'),
  number: 7,
  time: '2026-11-25T10:00:00.000Z',
  previous: digest,
  continues: null,
  key: null,
};
const first: Checkpoint = { ...some, number: 1, previous: null };

describe('a checkpoint', () => {
  it.each<[string, Checkpoint]>([
    ['that follows another', some],
    ['that is the first', first],
    ['that continues another origin', { ...first, continues: { origin: originOf(installation, 'zeroth'), number: 12, digest } }],
    ['that announces a key', { ...some, key: next.verifierKey }],
  ])('%s is read as it was signed', (_, checkpoint) => {
    const text = checkpointText(checkpoint);
    const opened = openCheckpoint(signer.sign(text), [key]);
    expect(opened).toEqual({ checkpoint, digest: checkpointDigest(text), signedBy: key });
  });

  it('has the text that C2SP defines, with lines of its own', () => {
    expect(checkpointText({ ...some, key: next.verifierKey })).toBe(
      [
        `waymark/${installation}/first`,
        '3',
        leafHash('root').toString('base64'),
        'number 7',
        'time 2026-11-25T10:00:00.000Z',
        `previous ${digest}`,
        `key ${next.verifierKey}`,
        '',
      ].join('\n'),
    );
  });

  it('may have lines that a later release adds', () => {
    expect(openCheckpoint(signer.sign(`${checkpointText(some)}witnesses 4\n`), [key]).checkpoint).toEqual(some);
  });

  const text = checkpointText(some);
  it.each([
    ['The origin', text.replace('/first', ' first')],
    ['The size', text.replace('\n3\n', '\n03\n')],
    ['The size', text.replace('\n3\n', '\n-3\n')],
    ['The root', text.replace(leafHash('root').toString('base64'), 'AAAA')],
    ['The number', text.replace('number 7', 'number 7.5')],
    ['The number', text.replace('number 7\n', '')],
    ['The time', text.replace('.000Z', 'Z')],
    ['The line "previous"', text.replace(digest, 'AAAA')],
    ['Only the first checkpoint', text.replace(/previous .*\n/, '')],
    ['Only the first checkpoint', text.replace('number 7', 'number 1')],
    ['Only the first checkpoint', `${text}continues a 1 ${digest}\n`],
    ['The line "continues"', `${checkpointText(first)}continues a ${digest}\n`],
    ['A line', `${text}number 8\n`],
    ['A line', `${text}\nhello world\n`],
    ['A line', 'o\n'],
    ['It is no verifier key', `${text}key none\n`],
  ])('is refused with a sentence: %s', (message, changed) => {
    const open = (): unknown => openCheckpoint(signer.sign(changed), [key]);
    if (changed === 'o\n') return expect(open).toThrow('The number');
    expect(open).toThrow(message);
    expect(isRefused(open)).toBe(true);
  });
});

const isRefused = (open: () => unknown): boolean => {
  try {
    open();
    return false;
  } catch (error) {
    return isRefusedCheckpoint(error);
  }
};
