import type { RefusedRequest } from '@waymark/http/refused-requests.ts';

/** A refused request of an account. */
export const sampleRefused = (account: string, fields: Partial<RefusedRequest> = {}): RefusedRequest => ({
  account,
  application: 'app-1',
  method: 'PUT',
  route: '/v3.0/pinpoints/:id',
  object: 12,
  status: 400,
  error: null,
  fields: ['name'],
  request: 'hash:abc',
  correlation: null,
  address: '203.0.113.0/24',
  ...fields,
});
