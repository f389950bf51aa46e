import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { topicConfiguration } from './topic.ts';

const document = readFileSync(join(import.meta.dirname, '../../../docs/cluster.md'), 'utf8');

describe('docs/cluster.md', () => {
  it('gives the configuration of the topic and its partitions, for operators who create it themselves', () => {
    const table = /\| Configuration \| Value \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(document)?.[1] ?? '';
    const rows = Object.entries(topicConfiguration).map(([name, value]) => `| \`${name}\` | \`${value}\` |\n`);
    expect(table).toBe(rows.join(''));
    expect(document).toContain(`**${partitionsOfCluster} partitions**`);
  });
});
