import type { Announcement, Announcements } from '../visibility/announcements.ts';

/** Creates announcements that a test publishes itself. */
export const announcing = () => {
  const listeners = new Set<(announcements: readonly Announcement[]) => void>();
  const publish: Announcements['publish'] = (announcements) => {
    for (const listener of listeners) listener(announcements);
  };
  const subscribe: Announcements['subscribe'] = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { publish, subscribe };
};
