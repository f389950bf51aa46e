import type { Numbered } from '@waymark/threads/calls.ts';
import type { Question, ToWriter } from './messages.ts';

type AppendMessage = Extract<ToWriter, { kind: 'append' }>;
export type OtherMessage = Numbered<Question> | Extract<ToWriter, { kind: 'connect' | 'close' }>;

/** A message, and the port that sent it. */
export type Taken<Port, Message> = { readonly port: Port; readonly message: Message };

export type TakenAppends<Port> = Readonly<Record<'accepted' | 'refused', readonly Taken<Port, AppendMessage>[]>>;

/** The messages of all ports that wait for the writer. Those of one port keep their order. */
export type Inbox<Port> = {
  readonly put: (port: Port, message: ToWriter) => void;
  readonly isEmpty: () => boolean;
  /** Takes all appends that come first in the queues of their ports. One call of `isAccepted`, which may change its answer at any time, decides
   * on all appends of a port: each has one outcome, and a port gets its outcomes in their order. */
  readonly takeAppends: (isAccepted: (port: Port) => boolean) => TakenAppends<Port>;
  /** Takes one message that is no append, if one comes first in its queue. */
  readonly takeOther: () => Taken<Port, OtherMessage> | undefined;
};

/** Creates an inbox. The port that comes first changes each time, so that none of them has an advantage. */
export const createInbox = <Port>(): Inbox<Port> => {
  /** Only ports with messages. */
  const queues = new Map<Port, ToWriter[]>();

  /** Removes the first message of a queue. A port with more messages takes its next turn after the others. */
  const shift = (port: Port, queue: ToWriter[]): void => {
    queue.shift();
    queues.delete(port);
    if (queue.length > 0) queues.set(port, queue);
  };
  return {
    put: (port, message) => {
      const queue = queues.get(port);
      if (queue) queue.push(message);
      else queues.set(port, [message]);
    },
    isEmpty: () => queues.size === 0,
    takeAppends: (isAccepted) => {
      const accepted: Taken<Port, AppendMessage>[] = [];
      const refused: Taken<Port, AppendMessage>[] = [];
      for (const [port, queue] of [...queues]) {
        const taken = isAccepted(port) ? accepted : refused;
        for (let first = queue[0]; first?.kind === 'append'; first = queue[0]) {
          taken.push({ port, message: first });
          shift(port, queue);
        }
      }
      return { accepted, refused };
    },
    takeOther: () => {
      for (const [port, queue] of queues) {
        const [first] = queue;
        if (first === undefined || first.kind === 'append') continue;
        shift(port, queue);
        return { port, message: first };
      }
      return undefined;
    },
  };
};
