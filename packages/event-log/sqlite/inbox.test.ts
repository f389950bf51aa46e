import { createInbox, type TakenAppends } from './inbox.ts';
import type { ToWriter } from './messages.ts';

const append = (stream: string): ToWriter => ({ kind: 'append', appends: [[stream, 'none', [], null]] });
const question = (call: number): ToWriter => ({ kind: 'empty-wal', call });

const streamsOf = (taken: TakenAppends<string>['accepted']): readonly string[] =>
  taken.flatMap(({ message }) => message.appends.map(([stream]) => stream));

const filled = (...messages: readonly (readonly [port: string, message: ToWriter])[]) => {
  const inbox = createInbox<string>();
  for (const [port, message] of messages) inbox.put(port, message);
  const streams = (): readonly string[] => streamsOf(inbox.takeAppends(() => true).accepted);
  const call = () => inbox.takeOther()?.message;
  return { inbox, streams, call };
};

describe('the inbox of the writer', () => {
  it('gives all appends of all ports at once, those of a port in their order', () => {
    const { inbox, streams } = filled(['a', append('a1')], ['b', append('b1')], ['a', append('a2')], ['c', append('c1')]);
    expect([...streams()].sort()).toEqual(['a1', 'a2', 'b1', 'c1']);
    expect(inbox.isEmpty()).toBe(true);
  });

  it('gives no append before a message that its port sent earlier', () => {
    const { streams, call } = filled(['a', append('a1')], ['a', question(1)], ['a', append('a2')], ['b', append('b1')]);
    expect([...streams()].sort()).toEqual(['a1', 'b1']);
    expect(streams()).toEqual([]);
    expect(call()).toEqual(question(1));
    expect(streams()).toEqual(['a2']);
  });

  it('accepts or refuses each append once, and those of a port alike, also if the answer changes meanwhile', () => {
    const { inbox } = filled(['a', append('a1')], ['b', append('b1')], ['a', append('a2')], ['c', append('c1')]);
    let accepts = false;
    const { accepted, refused } = inbox.takeAppends(() => {
      accepts = !accepts;
      return accepts;
    });
    expect([streamsOf(accepted), streamsOf(refused)]).toEqual([['a1', 'a2', 'c1'], ['b1']]);
  });

  it('gives the other messages of the ports in turn', () => {
    const { call } = filled(['a', question(1)], ['a', question(2)], ['a', question(3)], ['b', question(4)]);
    expect([call(), call(), call(), call(), call()]).toEqual([question(1), question(4), question(2), question(3), undefined]);
  });

  it('lets another port come first each time', () => {
    const { inbox, streams } = filled(['a', append('a1')], ['b', append('b1')], ['a', question(1)]);
    expect(streams()).toEqual(['a1', 'b1']);
    inbox.put('b', append('b2'));
    inbox.takeOther();
    inbox.put('a', append('a2'));
    expect(streams()).toEqual(['b2', 'a2']);
  });
});
