import type { Operator } from '../client/operator.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { exportFinally } from './export.ts';

/** An operator API that refuses the export of the rest, once writes are closed. */
const refusesTheRest = (): { readonly operator: Operator; readonly asked: readonly string[] } => {
  const asked: string[] = [];
  const request = async (name: string, values: { readonly body?: object } = {}): Promise<object> => {
    const body = values.body ?? {};
    asked.push(`${name} ${JSON.stringify(body)}`);
    if ('final' in body) throw new CommandFailed('failed', 'The disk is full.');
    return {};
  };
  return { operator: { request } as Partial<Operator> as Operator, asked };
};

it('A final export that fails after it closed writes says that they are closed', async () => {
  const { operator, asked } = refusesTheRest();
  await expect(exportFinally(operator, '/export')).rejects.toMatchObject({
    ending: 'failed',
    message: 'The disk is full.\nWrites are closed now. Run the command again, or open them: `waymark writes open`.',
  });
  expect(asked).toEqual([
    'POST /operator/export {"directory":"/export"}',
    'POST /operator/writes {"open":false}',
    'POST /operator/export {"directory":"/export","final":true}',
  ]);
});
