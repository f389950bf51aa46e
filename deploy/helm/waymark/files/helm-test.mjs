// `helm test`: makes an application, writes, reads and audits a pinpoint with it, and deletes all of it. It needs WAYMARK_API_URL,
// WAYMARK_OPS_URL and WAYMARK_OPS_TOKEN_FILE.
import { readFileSync } from 'node:fs';
import { env, exit } from 'node:process';

const withinMs = 30_000;
const account = 'helm-test';
// Several tokens are separated by commas; the operator API accepts each of them.
const token = readFileSync(env.WAYMARK_OPS_TOKEN_FILE, 'utf8').split(',')[0].trim();

const call = async (what, url, { method = 'GET', headers = {}, body } = {}, expected = 200) => {
  const json = typeof body === 'object' && !(body instanceof URLSearchParams);
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(json && { 'Content-Type': 'application/json' }) },
    body: json ? JSON.stringify(body) : body,
    signal: AbortSignal.timeout(withinMs),
  });
  const text = await answer.text();
  if (answer.status !== expected) throw new Error(`${what}: ${method} ${url} answered ${answer.status}: ${text}`);
  console.log(`${what}: ${answer.status}`);
  return text === '' ? undefined : JSON.parse(text);
};

const operator = (what, method, path, body, expected) =>
  call(what, `${env.WAYMARK_OPS_URL}${path}`, { method, body, headers: { Authorization: `Bearer ${token}` } }, expected);

const check = async ({ client_id: id, client_secret: secret }) => {
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const grant = new URLSearchParams({ grant_type: 'client_credentials' });
  const granted = await call('A token', `${env.WAYMARK_API_URL}/v3.0/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: basic },
    body: grant,
  });
  const api = (what, method, path, body, expected) =>
    call(what, `${env.WAYMARK_API_URL}${path}`, { method, body, headers: { Authorization: `Bearer ${granted.access_token}` } }, expected);

  const pinpoint = await api('Write', 'POST', '/v3.0/pinpoints', { name: 'helm test', latitude: 0, longitude: 0 }, 201);
  try {
    const read = await api('Read', 'GET', `/v3.0/pinpoints/${pinpoint.id}`);
    if (read.name !== 'helm test') throw new Error(`Read: another pinpoint: ${JSON.stringify(read)}`);
    const history = await api('Audit', 'GET', `/audit/v1/pinpoints/${pinpoint.id}/history`);
    if (history.results?.length !== 1) throw new Error(`Audit: not one entry: ${JSON.stringify(history)}`);
  } finally {
    await api('Delete', 'DELETE', `/v3.0/pinpoints/${pinpoint.id}`, undefined, 204);
    await operator('Erase the history', 'POST', '/operator/forget', { account, kind: 'pinpoint', id: pinpoint.id });
  }
};

const run = async () => {
  const application = await operator(
    'An application',
    'POST',
    '/operator/applications',
    { account, name: 'helm test', scopes: ['write', 'read', 'audit'] },
    201,
  );
  try {
    await check(application);
  } finally {
    const path = `/operator/applications/${application.client_id}`;
    await operator('Delete the application', 'DELETE', path);
    await operator('Erase its name', 'POST', '/operator/forget', { account, kind: 'application', id: application.client_id });
  }
};

run().catch((error) => {
  console.error(error.cause ? `${error.message}: ${error.cause.message}` : error.message);
  exit(1);
});
