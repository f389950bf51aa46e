import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { itStands, killed, useCluster } from './setup/use-cluster.ts';

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'A cluster under load, of which is killed', () => {
  const cluster = useCluster();

  itStands('nothing: all is served', cluster, { strike: async () => undefined, refuses: [] });
  itStands('the commands service: writes come back', cluster, killed('commands', ['writes']));
  itStands('the relay: all goes on', cluster, killed('relay', []));
  itStands('the projector: all goes on', cluster, killed('projector', []));
  itStands('the query gateway: reads come back', cluster, killed('query-gateway', ['reads']));
  itStands('the auth service: all goes on but for new tokens', cluster, killed('auth', ['tokens']));
  itStands('the operator service: all goes on', cluster, killed('operator', []));
});
