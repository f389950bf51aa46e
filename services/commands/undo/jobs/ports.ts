import type { Applications } from '@waymark/access/applications.ts';
import type { Commands } from '../../service.ts';

/** What an undo job needs. */
export type UndoJobPorts = Pick<Commands, 'log' | 'models' | 'media' | 'lookups' | 'owners' | 'visible' | 'askHistory'> & {
  readonly applications: Pick<Applications, 'find'>;
};
