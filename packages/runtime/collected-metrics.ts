import { Counter, Gauge, type Registry } from 'prom-client';

/** The values of a metric at this moment: one without labels, or one for each combination of labels. */
export type Values = number | readonly (readonly [labels: Readonly<Record<string, string | number>>, value: number])[];

export type CollectedMetric = {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Called at each scrape. */
  readonly read: () => Values | Promise<Values>;
};

/** Adds a gauge that is read when a scraper asks for it. */
export const addGauge = (registry: Registry, { name, help, labels = [], read }: CollectedMetric): void => {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect: async () => {
      const values = listed(await read());
      gauge.reset();
      for (const [of, value] of values) gauge.set(of, value);
    },
  });
};

/** Adds a counter whose total is read when a scraper asks for it. */
export const addCounter = (registry: Registry, { name, help, labels = [], read }: CollectedMetric): void => {
  const counter: Counter = new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect: async () => {
      const totals = listed(await read());
      counter.reset();
      for (const [of, total] of totals) counter.inc(of, total);
    },
  });
};

const listed = (values: Values) => (typeof values === 'number' ? ([[{}, values]] as const) : values);
