import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { engineKilled, enginePaused, itStands, useCluster } from './setup/use-cluster.ts';

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'A cluster under load, when an engine fails:', () => {
  const cluster = useCluster();

  itStands('Kafka is killed: everything continues', cluster, engineKilled('kafka', []));
  itStands('Kafka is paused: everything continues', cluster, enginePaused('kafka', []));
  itStands('Redis is killed: everything continues', cluster, engineKilled('redis', []));
  itStands('Redis is paused: everything continues', cluster, enginePaused('redis', []));
  itStands('MongoDB is killed: reads recover, writes continue', cluster, engineKilled('mongodb', ['reads']));
  itStands('MongoDB is paused: reads recover, writes continue', cluster, enginePaused('mongodb', ['reads']));
  itStands('the event store is killed: writes recover, reads continue', cluster, engineKilled('eventstore', ['writes', 'tokens']));
  itStands('the event store is paused: writes recover, reads continue', cluster, enginePaused('eventstore', ['writes', 'tokens']));
  itStands('the file store is killed: everything continues except new files', cluster, engineKilled('s3', ['writes']));
});
