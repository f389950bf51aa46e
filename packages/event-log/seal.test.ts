import { commitmentTo, isAltered, newEventId, sealHousekeeping, waymark } from './seal.ts';

describe('an event of housekeeping', () => {
  it('belongs to no account, and is committed to the JSON text of its content', () => {
    const { envelope, salt, content } = sealHousekeeping({ type: 'IdsReserved', version: 1, content: { through: 128 }, origin: waymark });
    expect(content).toBe('{"through":128}');
    expect(envelope).toMatchObject({ type: 'IdsReserved', version: 1, account: '', actor: 'waymark', token: null, request: null });
    expect(envelope).toMatchObject({ sanitized: false, commitment: commitmentTo(Buffer.from(salt, 'base64url'), content) });
  });

  it('has the id that was fixed before, or else an id of its own', () => {
    const event = { type: 'IdsReserved', version: 1, content: {}, origin: waymark };
    const id = newEventId();
    expect(sealHousekeeping({ ...event, id }).envelope.id).toBe(id);
    expect(sealHousekeeping(event).envelope.id).not.toBe(sealHousekeeping(event).envelope.id);
  });
});

describe('the correlation of an event', () => {
  const event = { type: 'IdsReserved', version: 1, content: {} };

  it('is that of its origin, and otherwise its own id', () => {
    const related = sealHousekeeping({ ...event, origin: { ...waymark, request: 'request', correlation: 'operation' } });
    expect(related.envelope).toMatchObject({ request: 'request', correlation: 'operation' });
    const { id, correlation } = sealHousekeeping({ ...event, origin: waymark }).envelope;
    expect(correlation).toBe(id);
  });
});

describe('the content of an event', () => {
  const { envelope, salt, content } = sealHousekeeping({ type: 'IdsReserved', version: 1, content: { through: 128 }, origin: waymark });

  it('is altered if content or salt differ from the commitment', () => {
    expect(isAltered({ salt, content }, envelope.commitment)).toBe(false);
    expect(isAltered({ salt, content: `${content} ` }, envelope.commitment)).toBe(true);
    expect(isAltered({ salt: `${salt}AAAA`, content }, envelope.commitment)).toBe(true);
    expect(isAltered({ salt: `A${salt.slice(2)}`, content }, envelope.commitment)).toBe(true);
  });

  it('is altered if only one of salt and content is there', () => {
    expect(isAltered({ salt: null, content }, envelope.commitment)).toBe(true);
    expect(isAltered({ salt, content: null }, envelope.commitment)).toBe(true);
  });

  it('is not altered if it was erased', () => {
    expect(isAltered({ salt: null, content: null }, envelope.commitment)).toBe(false);
  });
});
