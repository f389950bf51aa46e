import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import type { DomainEvent } from '@waymark/domain/event.ts';
import { applicationStream } from '@waymark/domain/streams.ts';
import type { Values } from '../entries.ts';
import type { Lookup } from './change.ts';

/** The values that an event set. */
export type SetValues = {
  readonly values: Values;
  /** The names of the values that are fields of the object. */
  readonly fields: readonly string[];
  /** Whether the object has no other fields. */
  readonly isWhole: boolean;
};

/** Returns the values that an event set. It is long because it lists every type. */
export const valuesOf = (says: DomainEvent, lookup: Pick<Lookup, 'values'>): SetValues => {
  switch (says.type) {
    case 'PinpointCreated':
    case 'PinpointRestored':
    case 'ListCreated':
    case 'ListRestored':
    case 'CategoryCreated':
    case 'CategoryRedacted':
    case 'HappeningCreated':
    case 'HappeningRestored':
      return whole(says.fields);
    case 'PinpointRedacted':
    case 'ListRedacted':
    case 'HappeningRedacted':
      return whole(says.fields ?? {});
    case 'PinpointEdited':
    case 'ListEdited':
    case 'CategoryEdited':
    case 'HappeningEdited':
      return some(says.fields);
    case 'PinpointsAdded':
      return beside({ added: says.pinpoints });
    case 'PinpointsRemoved':
      return beside({ removed: says.pinpoints });
    case 'ListMembersRestated':
      return beside({ from: says.from, to: says.to });
    case 'PinpointDeleted':
    case 'ListDeleted':
    case 'HappeningDeleted':
      return beside({});
    case 'ChangesetRedacted':
      return whole({});
    case 'ApplicationRegistered':
    case 'SecretAdded':
    case 'SecretDropped':
    case 'ApplicationSuspended':
    case 'ApplicationResumed':
    case 'ApplicationDeleted':
    case 'ApplicationScopesChanged':
    case 'ApplicationRedacted':
      return applicationValues(says, lookup);
    case 'AccountOpened':
      return whole({ name: says.name });
    case 'ChangesetOpened':
      return whole({ comment: says.comment, by: says.by });
    case 'ErasureOrdered':
    case 'HoldPlaced':
    case 'HoldReleased':
      return beside({ object: says.object, by: says.by, reason: says.reason, case: says.case });
    case 'UndoStarted': {
      const { correlation, application, from, to, through } = says;
      return beside({ correlation, application, from, to, through });
    }
    case 'UndoReported':
      return beside({ lines: says.lines });
    case 'UndoEnded':
      return beside({ outcome: says.outcome, reason: says.reason });
  }
};

/** Returns the values of an application. Of its secrets only the ids are kept. */
const applicationValues = (says: ApplicationEvent, lookup: Pick<Lookup, 'values'>): SetValues => {
  switch (says.type) {
    case 'ApplicationRegistered':
      return whole({ name: says.name, scopes: says.scopes, secrets: [says.secret.id], status: 'active' });
    case 'SecretAdded':
      return some({ secrets: [...secretsOf(says, lookup), says.secret.id] });
    case 'SecretDropped':
      return some({ secrets: secretsOf(says, lookup).filter((id) => id !== says.secretId) });
    case 'ApplicationSuspended':
      return some({ status: 'suspended' });
    case 'ApplicationResumed':
      return some({ status: 'active' });
    case 'ApplicationDeleted':
      return some({ status: 'deleted' });
    case 'ApplicationScopesChanged':
      return some({ scopes: says.scopes });
    case 'ApplicationRedacted':
      return whole({ scopes: says.scopes, secrets: says.secrets.map(({ id }) => id), status: says.status });
  }
};

const secretsOf = ({ application }: ApplicationEvent, lookup: Pick<Lookup, 'values'>): readonly string[] => {
  const { secrets } = lookup.values(applicationStream(application), ['secrets']);
  return Array.isArray(secrets) ? secrets : [];
};

const whole = (values: object): SetValues => ({ values: values as Values, fields: Object.keys(values), isWhole: true });

const some = (values: object): SetValues => ({ values: values as Values, fields: Object.keys(values), isWhole: false });

const beside = (values: Values): SetValues => ({ values, fields: [], isWhole: false });
