import {
  accountStream,
  allocatorStream,
  applicationStream,
  isHistory,
  numbered,
  numberedStream,
  requestStream,
  tokenStream,
} from './streams.ts';

describe('streams', () => {
  it('are named after what they are about', () => {
    expect(numbered.map((resource) => numberedStream(resource, 12))).toEqual(['pinpoint-12', 'list-12', 'category-12', 'happening-12']);
    expect(numberedStream('pinpoint', Number.MAX_SAFE_INTEGER)).toBe('pinpoint-9007199254740991');
    expect(applicationStream('a1')).toBe('application-a1');
    expect(accountStream('c1')).toBe('account-c1');
  });

  it('of aggregates are history', () => {
    const streams = [...numbered.map((resource) => numberedStream(resource, 1)), applicationStream('a'), accountStream('c')];
    expect(streams.filter(isHistory)).toEqual(streams);
  });

  it('of allocators, requests, tokens and erasures are housekeeping', () => {
    const streams = [...numbered.map(allocatorStream), requestStream('ff'), tokenStream('x'), 'redacted-pinpoint-12', 'forgotten'];
    expect(streams.filter(isHistory)).toEqual([]);
  });

  it('of what only begins like an aggregate are housekeeping', () => {
    expect(['pinpoints-1', 'pinpoint', 'listing-2', '', '$pinpoint-1'].filter(isHistory)).toEqual([]);
  });
});
