import { sampleRefused } from '../testing/sample-refused.ts';
import { refusalsIn, sealRefusals } from './stored-refusals.ts';

describe('a record of refused requests', () => {
  const { account: _, ...refused } = sampleRefused('account-1');
  const refusals = { refusals: [{ ...refused, time: '2026-06-01T08:00:00.000Z' }], more: 3 };

  it('is stored in this form', () => {
    const { content, envelope } = sealRefusals(refusals);
    expect(content).toBe(
      '{"refusals":[{"time":"2026-06-01T08:00:00.000Z","application":"app-1","method":"PUT","route":"/v3.0/pinpoints/:id",' +
        '"object":12,"status":400,"error":null,"fields":["name"],"request":"hash:abc","correlation":null,' +
        '"address":"203.0.113.0/24"}],"more":3}',
    );
    expect(envelope).toMatchObject({ type: 'RefusalsRecorded', version: 1, account: '', actor: 'waymark', token: null, request: null });
  });

  it('is read as it was stored', () => {
    const event = { ...sealRefusals(refusals), stream: 'refusals-account-1-2026-06-01', revision: 0, position: 1 };
    expect(refusalsIn(event)).toEqual(refusals);
    expect(refusalsIn({ ...event, content: null, salt: null })).toBeUndefined();
  });
});
