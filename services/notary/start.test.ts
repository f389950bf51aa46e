import { textHash } from '@waymark/proof/hashes.ts';
import { decideStart, type Evidence, ownRecord, type Witness } from './start.ts';

const origin = 'waymark/one/second';
const former = 'waymark/one/first';
const checkpoint = (of: string, number: number) => ({ origin: of, number, digest: textHash(`${of} ${number}`) });
const witness = (name: string, of: string, number: number, inLog: Witness['inLog']): Witness => ({
  ...checkpoint(of, number),
  name,
  isSigned: true,
  inLog,
});
const own = (number: number, inLog: Witness['inLog'] = 'equal'): Witness => witness(ownRecord, origin, number, inLog);
const place = (number: number, inLog: Witness['inLog'] = 'equal'): Witness => witness('/place', origin, number, inLog);

const sound: Evidence = {
  origin,
  last: { ...checkpoint(origin, 7), isMet: true },
  loggedOrigin: origin,
  fault: undefined,
  witnesses: [own(7), place(7)],
  contradiction: undefined,
  isBeginning: false,
};
const unsigned: Evidence = { ...sound, last: undefined, loggedOrigin: undefined, witnesses: [] };
/** The log has another incarnation than when its last checkpoint was signed. */
const renewed: Evidence = {
  ...sound,
  last: { ...checkpoint(former, 7), isMet: true },
  loggedOrigin: former,
  witnesses: [witness(ownRecord, former, 7, 'equal')],
};
/** The log is an older copy that was restored, and then renewed. */
const restored: Evidence = {
  ...renewed,
  last: { ...checkpoint(former, 5), isMet: true },
  witnesses: [witness(ownRecord, former, 7, 'missing')],
};
/** The log was imported, and the record of the former notary was copied. */
const imported: Evidence = { ...unsigned, witnesses: [witness(ownRecord, former, 7, 'missing')] };

describe('a notary that has read the log', () => {
  it.each<[string, Evidence]>([
    ['all agree', sound],
    ['the place lags behind', { ...sound, witnesses: [own(7), place(6)] }],
    ['its record lags behind, because it was killed', { ...sound, witnesses: [own(6), place(6)] }],
    ['another notary signed several since', { ...sound, witnesses: [own(3), place(7)] }],
    ['its record is new, and the place agrees', { ...sound, witnesses: [place(7)] }],
  ])('continues where %s', (_, evidence) => {
    expect(decideStart(evidence)).toEqual({ kind: 'continue' });
  });

  it.each<[string, Evidence, ReturnType<typeof checkpoint> | null]>([
    ['nothing was ever signed', unsigned, null],
    ['the log was renewed', renewed, checkpoint(former, 7)],
    ['the log was imported with all that was signed', imported, checkpoint(former, 7)],
    ['an operator ordered to begin with a restored log', { ...restored, isBeginning: true }, checkpoint(former, 5)],
    [
      'an operator ordered to begin, and nothing in the log is known to be sound',
      { ...restored, last: undefined, fault: 'It is wrong.', isBeginning: true },
      null,
    ],
  ])('signs the first checkpoint of an origin where %s', (_, evidence, continues) => {
    expect(decideStart(evidence)).toEqual({ kind: 'first', continues, isBegun: evidence.isBeginning });
  });

  const begins = 'waymark notary begin.';
  const renews = 'waymark renew, then waymark notary begin.';
  it.each<[string, Evidence, string, string]>([
    ['the log lacks what its record has', { ...sound, witnesses: [own(8, 'missing'), place(7)] }, 'The log lacks checkpoint 8', renews],
    ['the log lacks what the place has', { ...sound, witnesses: [own(7), place(8, 'missing')] }, 'The log lacks checkpoint 8', renews],
    ['the log has another one than its record', { ...sound, witnesses: [own(7, 'different')] }, 'another checkpoint 7', renews],
    ['the log has another one than the place', { ...sound, witnesses: [own(7), place(7, 'different')] }, 'another checkpoint 7', renews],
    ['events were changed', { ...sound, contradiction: { account: 'a', is: 'different' } }, 'were changed', renews],
    ['events are missing', { ...sound, contradiction: { account: 'a', is: 'smaller' } }, 'fewer events', renews],
    [
      'the checkpoint covers other events',
      { ...sound, last: { ...checkpoint(origin, 7), isMet: false } },
      'does not have the events',
      renews,
    ],
    ['the record is missing and there is no place', { ...sound, witnesses: [] }, 'is empty', renews],
    ['the stream of checkpoints is missing', { ...unsigned, witnesses: [own(7, 'missing')] }, 'The log lacks checkpoint 7', renews],
    ['a checkpoint is forged', { ...sound, fault: 'It is forged.' }, 'It is forged.', renews],
    ['an older log was restored', restored, 'The log lacks checkpoint 7', begins],
    ['events are missing in an imported log', { ...imported, contradiction: { account: 'a', is: 'smaller' } }, 'The log lacks', begins],
    [
      'an imported log lacks what only the place has',
      { ...imported, witnesses: [...imported.witnesses, witness('/place', former, 8, 'missing')] },
      'The log lacks',
      begins,
    ],
  ])('refuses where %s', (_, evidence, cause, remedy) => {
    const start = decideStart(evidence);
    expect(start).toEqual({ kind: 'refuse', reason: expect.stringContaining(cause) });
    expect(start).toEqual({ kind: 'refuse', reason: expect.stringMatching(new RegExp(`: ${remedy}$`)) });
    if (remedy === renews) expect(decideStart({ ...evidence, isBeginning: true })).toEqual(start);
    else expect(decideStart({ ...evidence, isBeginning: true }).kind).toBe('first');
  });

  it.each<[string, Witness]>([
    ['adds one', place(8, 'missing')],
    ['replaces one', place(7, 'different')],
  ])('names who is wrong where somebody else %s to the place', (_, added) => {
    const forged = { ...sound, witnesses: [own(7), { ...added, isSigned: false }] };
    const refused = { kind: 'refuse', reason: expect.stringMatching(/^Checkpoint \d in \/place is signed by no key of this notary/) };
    expect(decideStart(forged)).toEqual(refused);
    expect(decideStart({ ...forged, isBeginning: true })).toEqual(refused);
    const beside = { ...renewed, witnesses: [...renewed.witnesses, { ...witness('/place', former, 8, 'missing'), isSigned: false }] };
    expect(decideStart(beside)).toEqual(refused);
    expect(decideStart({ ...beside, isBeginning: true }).kind).toBe('first');
  });
});
