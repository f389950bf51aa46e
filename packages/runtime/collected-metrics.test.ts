import { Registry } from 'prom-client';
import { addCounter, addGauge } from './collected-metrics.ts';

describe('a collected metric', () => {
  it('has the values that it is read with at each scrape', async () => {
    const registry = new Registry();
    let now = 1;
    addGauge(registry, { name: 'size', help: 'A size.', read: () => now });
    addCounter(registry, { name: 'made_total', help: "What's made.", read: async () => 2 * now });
    expect(await registry.metrics()).toBe(
      "# HELP size A size.\n# TYPE size gauge\nsize 1\n\n# HELP made_total What's made.\n# TYPE made_total counter\nmade_total 2\n",
    );
    now = 0;
    const text = await registry.metrics();
    expect(text).toContain('\nsize 0\n');
    expect(text).toContain('\nmade_total 0\n');
  });

  it('has only the labels that it is read with, in their order', async () => {
    const registry = new Registry();
    let parts = [0, 1];
    const read = () => parts.map((part) => [{ of: 'a', part }, part + 1] as const);
    addGauge(registry, { name: 'size', help: 'A size.', labels: ['of', 'part'], read });
    addCounter(registry, { name: 'made_total', help: 'What is made.', labels: ['of', 'part'], read });
    expect(await registry.metrics()).toContain('size{of="a",part="0"} 1\nsize{of="a",part="1"} 2\n');
    parts = [1];
    const text = await registry.metrics();
    expect(text).toContain('counter\nmade_total{of="a",part="1"} 2\n');
    expect(text).not.toContain('part="0"');
    parts = [];
    expect(await registry.metrics()).toBe(
      '# HELP size A size.\n# TYPE size gauge\n\n# HELP made_total What is made.\n# TYPE made_total counter\n',
    );
  });
});
