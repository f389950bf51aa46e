import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DomainEvent } from './event.ts';
import { decode, encode, eventVersions, NewerEvent, versionsRead } from './event-types.ts';
import { olderSamples, recorded, sampleEnvelope, sampleEvents, sampleFile, sampleUndoLine } from './testing/samples.ts';

const samples = Object.values(sampleEvents);

describe('an event in the log', () => {
  it.each(samples)('$type is decoded as it was encoded', (event) => {
    expect(decode(recorded(event.type, eventVersions[event.type], encode(event)))).toEqual(event);
  });

  it.each(olderSamples)('$event.type v$version, which an earlier release wrote, is decoded', ({ version, event }) => {
    expect(decode(recorded(event.type, version, encode(event)))).toEqual(event);
  });

  it('does not repeat its type in the content: the envelope has it', () => {
    for (const event of samples) expect(JSON.parse(encode(event))).not.toHaveProperty('type');
  });

  it('keeps hostile text and every bit of a number', () => {
    const event: DomainEvent = {
      ...sampleEvents.PinpointEdited,
      fields: { name: '\u2028"\\</script>🏴‍☠️\u0001', latitude: 0.1 + 0.2, longitude: 5e-324 },
    };
    expect(decode(recorded(event.type, 1, encode(event)))).toEqual(event);
  });

  it('decodes to undefined once its content was erased', () => {
    expect(decode(recorded('PinpointCreated', 1, null))).toBeUndefined();
  });

  it('of a newer version or an unknown type is refused with the release that wrote it', () => {
    for (const [type, version] of [
      ['PinpointCreated', 2],
      ['ListRedacted', 3],
      ['PinpointPainted', 1],
      ['constructor', 1],
    ] as const) {
      const event = recorded(type, version, '{}');
      const newer = { ...event, position: 17, envelope: { ...event.envelope, release: '9.9.0' } };
      expect(() => decode(newer)).toThrow(NewerEvent);
      expect(() => decode(newer)).toThrow(`${type} v${version} at position 17 was written by Waymark 9.9.0`);
    }
  });

  it('of a newer version is distinguished from an erased one', () => {
    expect(() => decode(recorded('PinpointCreated', 2, null))).toThrow(NewerEvent);
  });
});

// Checks EVENTS.md against the code.

const document = readFileSync(join(import.meta.dirname, 'EVENTS.md'), 'utf8');

/** Returns the fields in the table under a heading. */
const documentedFields = (heading: string): readonly string[] => {
  const section = document.split(`\n### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, field]) => field ?? '');
};

const headingsOf = (chapter: string): readonly string[] => {
  const text = document.split(`\n## ${chapter}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading ?? '');
};

/** Returns the fields as they are documented: those of `fields` one by one, and every other field by its name. */
const fieldsOf = (event: DomainEvent): readonly string[] => {
  const { type: _, ...data } = event;
  return Object.entries(data).flatMap(([name, value]) =>
    name === 'fields' ? Object.keys(value ?? {}).map((field) => `fields.${field}`) : [name],
  );
};

describe('EVENTS.md', () => {
  const allVersions = Object.entries(versionsRead).flatMap(([type, newest]) =>
    Array.from({ length: newest }, (_, index) => `${type} v${index + 1}`),
  );

  it('has one section for every version of every event, and no other sections', () => {
    expect([...headingsOf('Events')].sort()).toEqual(allVersions.sort());
  });

  it.each(samples)('lists the fields of $type', (event) => {
    expect(documentedFields(`${event.type} v${eventVersions[event.type]}`)).toEqual(fieldsOf(event));
  });

  it.each(olderSamples)('lists the fields of $event.type v$version', ({ version, event }) => {
    expect(documentedFields(`${event.type} v${version}`)).toEqual(fieldsOf(event));
  });

  it('lists the fields of the shapes that events share', () => {
    const { secret } = sampleEvents.ApplicationRegistered;
    const shapes = {
      StoredFile: sampleFile,
      DateRange: sampleEvents.HappeningCreated.fields.dates[0],
      NotAdded: sampleEvents.PinpointsAdded.notAdded[0],
      Secret: secret,
      UndoLine: sampleUndoLine,
      Summary: sampleEvents.PinpointRedacted.summary,
    };
    expect(headingsOf('Shapes')).toEqual(Object.keys(shapes));
    for (const [shape, sample] of Object.entries(shapes)) {
      expect(documentedFields(shape)).toEqual(Object.keys(sample ?? {}));
    }
  });

  it('lists the fields of the envelope', () => {
    expect(documentedFields('Envelope')).toEqual(Object.keys(sampleEnvelope));
  });

  it('names the housekeeping events', () => {
    expect(headingsOf('Housekeeping')).toEqual([
      'CheckpointSigned v1',
      'DryRunUndoEnded v1',
      'DryRunUndoReported v1',
      'DryRunUndoStarted v1',
      'ErasureSummarised v1',
      'ExpiredDropped v1',
      'IdsReserved v1',
      'ImportBegun v1',
      'ImportEnded v1',
      'ImportNamed v1',
      'ImportReached v1',
      'InstallationNamed v1',
      'LogNamed v1',
      'OperationNoted v1',
      'RefusalsDropped v1',
      'RefusalsRecorded v1',
      'RequestClaimed v2',
      'SigningKeyAccepted v1',
      'StreamForgotten v1',
      'TokenIssued v1',
      'TokenRevoked v1',
      'UndoListed v1',
      'UndoProgressed v1',
      'WritesClosed v1',
      'WritesOpened v1',
    ]);
  });
});
