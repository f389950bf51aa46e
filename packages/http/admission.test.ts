import { createAdmission } from './admission.ts';
import { createAmountTable, openAmounts } from './counters/open-amounts.ts';
import { addressRequestsMax } from './limits.ts';
import { noFailureLimit } from './rate-limit.ts';

describe('the requests in progress of an address', () => {
  it('are counted together by all threads, up to the limit', () => {
    const table = createAmountTable();
    const [here, there] = [1, 2].map(() =>
      createAdmission({
        addresses: { of: () => 'a', ofPeer: () => 'a', isFromEdge: () => false },
        addressFailures: noFailureLimit,
        clientFailures: noFailureLimit,
        note: () => undefined,
        amounts: openAmounts({ table }),
      }),
    ) as [ReturnType<typeof createAdmission>, ReturnType<typeof createAdmission>];
    for (let nth = 0; nth < addressRequestsMax; nth += 1) expect((nth % 2 === 0 ? here : there).enter('a')).toBe(true);
    expect([here.enter('a'), there.enter('a'), there.enter('b')]).toEqual([false, false, true]);
    here.leave('a');
    expect([there.enter('a'), here.enter('a')]).toEqual([true, false]);
  });
});
