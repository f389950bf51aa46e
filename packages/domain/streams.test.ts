import {
  accountStream,
  allocatorStream,
  applicationStream,
  awaitByResourceKind,
  byResourceKind,
  changesetStream,
  importStream,
  isHistory,
  ordersStream,
  refusalsStream,
  requestStream,
  resourceKinds,
  resourceOfStream,
  resourceStream,
  tokenStream,
} from './streams.ts';

describe('streams', () => {
  it('are named after their subject', () => {
    expect(resourceKinds.map((resource) => resourceStream(resource, 12))).toEqual([
      'pinpoint-12',
      'list-12',
      'category-12',
      'happening-12',
    ]);
    expect(resourceStream('pinpoint', Number.MAX_SAFE_INTEGER)).toBe('pinpoint-9007199254740991');
    expect(applicationStream('a1')).toBe('application-a1');
    expect(accountStream('c1')).toBe('account-c1');
    expect(changesetStream('0190b7f2')).toBe('changeset-0190b7f2');
  });

  it('of numbered objects can be parsed into resource and id', () => {
    for (const resource of resourceKinds) expect(resourceOfStream(resourceStream(resource, 12))).toEqual({ resource, id: 12 });
    for (const stream of [
      'pinpoint-0',
      'pinpoint-01',
      'pinpoint-',
      'pinpoint-1x',
      'pinpoint-1e3',
      'pinpoint--1',
      'pinpoint',
      'pinpoint-9007199254740993',
      'pinpoints-1',
      'account-1',
      '',
    ])
      expect(resourceOfStream(stream)).toBeUndefined();
  });

  it('of aggregates are history', () => {
    const streams = [
      ...resourceKinds.map((resource) => resourceStream(resource, 1)),
      applicationStream('a'),
      accountStream('c'),
      ordersStream('c'),
      changesetStream('0190b7f2'),
    ];
    streams.push('undo-0190b7f2');
    expect(streams.filter(isHistory)).toEqual(streams);
  });

  it('of allocators, requests, tokens and erasures are housekeeping', () => {
    const streams = [
      ...resourceKinds.map(allocatorStream),
      requestStream('ff'),
      tokenStream('x'),
      importStream('i'),
      'redacted-pinpoint-12',
      'forgotten',
      refusalsStream('c', '2026-06-01'),
      ...['checkpoints', 'refusals-c-2026-06-01', 'pruned-refusals', 'undoing-0190b7f2'],
      ...['dry-undo-0190b7f2', 'undos'],
    ];
    expect(streams.filter(isHistory)).toEqual([]);
  });

  it('whose names only begin like those of an aggregate are housekeeping', () => {
    expect(['pinpoints-1', 'pinpoint', 'listing-2', '', '$pinpoint-1'].filter(isHistory)).toEqual([]);
  });
});

describe('a record of the kinds of resources', () => {
  it('has a value for each kind', async () => {
    const expected = { pinpoint: 'a pinpoint', list: 'a list', category: 'a category', happening: 'a happening' };
    expect(byResourceKind((kind) => `a ${kind}`)).toEqual(expected);
    expect(await awaitByResourceKind(async (kind) => `a ${kind}`)).toEqual(expected);
    expect(Object.keys(expected)).toEqual(resourceKinds);
  });

  it('fails with the error of a request', async () => {
    await expect(awaitByResourceKind(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  });
});
