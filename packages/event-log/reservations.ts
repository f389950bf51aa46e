import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { seal } from './seal.ts';

/** What stands in an allocator's stream: that the ids up to this one are taken.
 * @param id of the event, fixed before the first try to append */
export const reservation = (id: string, through: number): NewEvent =>
  seal({
    id,
    type: 'IdsReserved',
    version: 1,
    content: JSON.stringify({ through }),
    account: '',
    origin: { actor: 'waymark', token: null, request: null },
    sanitized: false,
  });

/** The last id that the last event of an allocator's stream has reserved. */
export const reservedBy = ({ content }: RecordedEvent): number => (JSON.parse(content ?? '{"through":0}') as { through: number }).through;
