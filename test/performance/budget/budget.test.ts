import { type Comparison, exceeded, type Ratios, report } from './budget.ts';

const ratios = (all: number, some: Partial<Ratios> = {}): Ratios => ({
  'GET one': all,
  'page of 20': all,
  create: all,
  update: all,
  ...some,
});
const budget = ratios(0.8);

const measured = (now: Partial<Ratios>, spread: Partial<Ratios> = {}): Comparison => ({ now: ratios(0.8, now), spread: ratios(0, spread) });

describe('the budget of a request', () => {
  it('holds up to the tolerance above the stored ratio', () => {
    expect(exceeded(measured({}), budget)).toEqual([]);
    expect(exceeded(measured({ create: 0.919 }), budget)).toEqual([]);
    expect(exceeded(measured({ 'GET one': 0.1 }), budget)).toEqual([]);
  });

  it('is exceeded above it', () => {
    expect(exceeded(measured({ create: 0.921, update: 2 }), budget)).toEqual(['create', 'update']);
  });

  it('is not judged where the release before differs from itself', () => {
    expect(exceeded(measured({ create: 2 }, { create: 0.051 }), budget)).toEqual([]);
    expect(exceeded(measured({ create: 2, update: 2 }, { create: 0.049, update: 0.051 }), budget)).toEqual(['create']);
  });

  it('is reported for every operation', () => {
    expect(report(measured({ create: 0.5 }), budget)).toContain(
      'create: 0.500 of the release before; stored: 0.800; spread of the release before: 0.000\n',
    );
  });
});
