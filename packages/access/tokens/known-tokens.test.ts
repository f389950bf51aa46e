import { sampleToken } from '../testing/sample-token.ts';
import { createKnownTokens } from './known-tokens.ts';
import { knownTokensMax } from './limits.ts';

const remembered = () => ({ record: sampleToken(), incarnation: 'one' });

describe('the known tokens of a process', () => {
  it('are those that it has confirmed, with the time of the last confirmation', () => {
    const known = createKnownTokens();
    const [entry, other] = [remembered(), remembered()];
    expect(known.find(entry.record.hash)).toBeUndefined();
    known.confirm(entry, 1_000);
    known.confirm(entry, 2_000);
    expect(known.find(entry.record.hash)).toEqual({ ...entry, confirmedAtMs: 2_000 });
    expect(known.find(other.record.hash)).toBeUndefined();
  });

  it('stay revoked even if an older response confirms them afterwards', () => {
    const known = createKnownTokens();
    const [confirmed, unseen] = [remembered(), remembered()];
    known.confirm(confirmed, 1_000);
    for (const entry of [confirmed, unseen]) {
      known.revoke(entry.record.hash);
      known.confirm(entry, 2_000);
      expect(known.find(entry.record.hash)).toBe('revoked');
    }
  });

  it('are limited in number: the least recently used one is evicted', () => {
    const known = createKnownTokens();
    const [first, second] = [remembered(), remembered()];
    known.confirm(first, 1_000);
    known.confirm(second, 1_000);
    for (let made = 2; made < knownTokensMax; made += 1) known.confirm(remembered(), 1_000);
    expect(known.find(first.record.hash)).toBeDefined();
    known.confirm(remembered(), 1_000);
    expect(known.find(first.record.hash)).toBeDefined();
    expect(known.find(second.record.hash)).toBeUndefined();
  });
});
