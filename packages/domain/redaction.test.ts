import type { DomainEvent, RecordedEvent } from './event.ts';
import { encode, eventVersions } from './event-types.ts';
import { erasedBefore, redactionOf } from './redaction.ts';
import { olderSamples, recorded, sampleEvents } from './testing/samples.ts';

const { PinpointCreated, PinpointEdited, PinpointDeleted, PinpointRedacted, ListCreated, ListDeleted, ListRedacted } = sampleEvents;
const { ApplicationRegistered, ApplicationSuspended, ApplicationResumed, ApplicationDeleted, ApplicationRedacted } = sampleEvents;
const { ChangesetOpened, ChangesetRedacted, AccountOpened } = sampleEvents;
const { application } = ApplicationRegistered;
const { changeset } = ChangesetOpened;
const summary = { count: 2, digest: 'd' };

const inLog = (fact: DomainEvent): RecordedEvent => recorded(fact.type, eventVersions[fact.type], encode(fact));

const redacted = (stream: string, ...events: readonly RecordedEvent[]) => {
  const redaction = redactionOf(stream);
  for (const event of events) redaction?.add(event);
  return redaction?.fact(summary, events.length);
};

describe('the event after an erasure', () => {
  it('contains the present fields of the object', () => {
    const edited = { ...PinpointEdited, fields: { name: 'Mole light' } };
    expect(redacted('pinpoint-12', inLog(PinpointCreated), inLog(edited))).toEqual({
      ...PinpointRedacted,
      summary,
      fields: { ...PinpointCreated.fields, name: 'Mole light' },
    });
  });

  it('contains of a deleted object only that it exists, and the pinpoint of a happening', () => {
    expect(redacted('pinpoint-12', inLog(PinpointCreated), inLog(PinpointDeleted))).toMatchObject({ fields: null });
    const { HappeningCreated, HappeningDeleted } = sampleEvents;
    expect(redacted('happening-31', inLog(HappeningCreated), inLog(HappeningDeleted))).toMatchObject({ fields: null, pinpoint: 12 });
    expect(redacted('list-7', inLog(ListCreated), inLog(ListDeleted))).toMatchObject({ fields: null, restatedFrom: 2 });
  });

  it('continues from an earlier one', () => {
    const erased = { ...inLog(PinpointCreated), salt: null, content: null };
    const edited = { ...PinpointEdited, fields: { name: 'Later' } };
    const fields = { ...PinpointRedacted.fields, name: 'Later' };
    expect(redacted('pinpoint-12', erased, inLog(PinpointRedacted), inLog(edited))).toMatchObject({ fields });
  });

  it('contains the present state of an application, without its name', () => {
    const { account, scopes, secret } = ApplicationRegistered;
    const state = { account, application, summary, status: 'active', scopes, secrets: [secret], suspended: null };
    const stream = (...facts: readonly DomainEvent[]) =>
      redacted(`application-${application}`, ...facts.map((fact, revision) => ({ ...inLog(fact), revision })));
    expect(stream(ApplicationRegistered)).toEqual({ type: 'ApplicationRedacted', ...state });
    const { SecretAdded, SecretDropped, ApplicationScopesChanged } = sampleEvents;
    expect(stream(ApplicationRegistered, SecretAdded, SecretDropped, ApplicationScopesChanged)).toMatchObject({
      scopes: ApplicationScopesChanged.scopes,
      secrets: [SecretAdded.secret],
    });
    expect(stream(ApplicationRegistered, ApplicationSuspended)).toMatchObject({ status: 'suspended', suspended: 1 });
    expect(stream(ApplicationRegistered, ApplicationSuspended, ApplicationResumed)).toMatchObject({ status: 'active', suspended: 1 });
    expect(stream(ApplicationRedacted, ApplicationResumed)).toMatchObject({ status: 'active', suspended: ApplicationRedacted.suspended });
  });

  it('contains of a deleted application neither scopes nor secrets', () => {
    const stream = [ApplicationRegistered, ApplicationSuspended, ApplicationDeleted].map((fact, revision) => ({
      ...inLog(fact),
      revision,
    }));
    expect(redacted(`application-${application}`, ...stream)).toMatchObject({ status: 'deleted', scopes: [], secrets: [], suspended: 1 });
  });

  it('contains of a changeset neither comment nor person', () => {
    const { account } = ChangesetOpened;
    const expected = { type: 'ChangesetRedacted', account, changeset, summary };
    expect(redacted(`changeset-${changeset}`, inLog(ChangesetOpened))).toEqual(expected);
    const erased = { ...inLog(ChangesetOpened), salt: null, content: null };
    expect(redacted(`changeset-${changeset}`, erased, inLog(ChangesetRedacted))).toEqual(expected);
  });

  it('is undefined if the stream does not show what the object is, or if it cannot be erased', () => {
    expect(redacted('pinpoint-12', { ...inLog(PinpointCreated), salt: null, content: null })).toBeUndefined();
    expect(redacted('application-app-1', { ...inLog(ApplicationRegistered), salt: null, content: null })).toBeUndefined();
    expect(redacted(`changeset-${changeset}`, { ...inLog(ChangesetOpened), salt: null, content: null })).toBeUndefined();
    expect(redacted(`account-${AccountOpened.account}`, inLog(AccountOpened))).toBeUndefined();
  });
});

describe('an event that completes an erasure', () => {
  it('names the revision before which everything was erased', () => {
    expect(erasedBefore({ ...inLog(PinpointRedacted), revision: 7 })).toBe(7);
    expect(erasedBefore({ ...inLog(ListRedacted), revision: 7 })).toBe(3);
    const [older] = olderSamples.filter(({ event }) => event.type === 'ListRedacted');
    const stored = recorded('ListRedacted', older?.version ?? 0, encode(older?.event ?? ListRedacted));
    expect(erasedBefore({ ...stored, revision: 7 })).toBe(7);
  });

  it('names none once it is erased itself, as any other event', () => {
    expect(erasedBefore({ ...inLog(PinpointRedacted), content: null })).toBeUndefined();
    expect(erasedBefore(inLog(PinpointDeleted))).toBeUndefined();
  });
});
