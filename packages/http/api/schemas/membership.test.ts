import { HttpError } from '../../errors.ts';
import { parseMembership } from './membership.ts';

const fromText = (text: string): unknown => JSON.parse(text);

const problemOf = (work: () => unknown): HttpError => {
  try {
    work();
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  throw new Error('The input was accepted.');
};

describe('the body of a membership request', () => {
  it('is a list of elements, valid and invalid', () => {
    const body = fromText('[{"id":7},{"id":"7"},{"id":0},{"id":1.5},{"id":9007199254740992},{},7,null,[1],{"__proto__":{"id":7}}]');
    expect(parseMembership(body)).toEqual([
      { sent: 7, pinpoint: 7 },
      { sent: '7', pinpoint: undefined },
      { sent: 0, pinpoint: undefined },
      { sent: 1.5, pinpoint: undefined },
      { sent: 9_007_199_254_740_992, pinpoint: undefined },
      ...Array.from({ length: 5 }, () => ({ sent: null, pinpoint: undefined })),
    ]);
  });

  it.each([
    [{}, 'object'],
    [null, 'null'],
    ['x', 'string'],
    [7, 'number'],
  ])('is refused if it is not a list: %j', (body, type) => {
    const message = `Expected a list of items but got type "${type}".`;
    expect(problemOf(() => parseMembership(body))).toMatchObject({ status: 400, body: { non_field_errors: [message] } });
  });

  it('has at most 1000 elements', () => {
    expect(parseMembership(Array.from({ length: 1_000 }, () => ({ id: 1 })))).toHaveLength(1_000);
    const message = 'Ensure this field has no more than 1000 elements.';
    expect(problemOf(() => parseMembership(Array.from({ length: 1_001 })))).toMatchObject({ body: { non_field_errors: [message] } });
  });
});
