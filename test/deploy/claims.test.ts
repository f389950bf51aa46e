import { cluster, describeWithHelm, type KubernetesObject, render, standalone, type Values } from './helm.ts';
import { serveKubernetes } from './kubernetes-api.ts';

type Claim = {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly accessModes: readonly string[]; readonly storageClassName?: string; readonly resources: object };
};

const ofStandalone = (persistence: Values): Values => ({ ...standalone, standalone: { persistence } });
const ofNotary = (persistence: Values): Values => ({ ...cluster, notary: { persistence } });

/** Returns the objects of an installation as the API server returns them, with the size of the claim in the form that it stores. */
const installed = async (values: Values, storage: string): Promise<readonly KubernetesObject[]> =>
  (await render(values)).map((object) => {
    const claims = object.spec?.['volumeClaimTemplates'] as readonly Claim[] | undefined;
    if (claims === undefined) return object;
    const stored = claims.map((claim) => ({ ...claim, spec: { ...claim.spec, resources: { requests: { storage } } } }));
    return { ...object, spec: { ...object.spec, volumeClaimTemplates: stored } };
  });

/** Renders an upgrade of an installation. */
const upgrade = async (from: Values, storage: string, to: Values): Promise<void> => {
  const { more, close } = await serveKubernetes(await installed(from, storage));
  try {
    await render(to, { more });
  } finally {
    close();
  }
};

describeWithHelm('The claim of an installation', () => {
  it.each<readonly [string | number, string]>([
    ['2048Gi', '2Ti'],
    ['1.5Ti', '1536Gi'],
    ['1024Mi', '1Gi'],
    ['1000M', '1G'],
    ['1.3Gi', '1395864371200m'],
    [10_737_418_240, '10737418240'],
    [10_000_000_000, '10e9'],
    ['10Gi', '10Gi'],
  ])('stays the same with the size %s, which the API server stores as %s', async (size, stored) => {
    await upgrade(ofStandalone({ size }), stored, ofStandalone({ size }));
  });

  it('stays the same with a storage class and annotations', async () => {
    const values = ofStandalone({ storageClassName: 'fast', annotations: { team: 'maps', empty: '' } });
    await upgrade(values, '10Gi', values);
  });

  it.each<readonly [string, Values, Values]>([
    ['size: it was 1Ti at the installation', { size: '1024Gi' }, { size: '1000Gi' }],
    ['size: it was 1Ti at the installation', { size: '1Ti' }, { size: '1T' }],
    ['storageClassName: it stays', { size: '1Ti', storageClassName: 'fast' }, { size: '1Ti' }],
    ['storageClassName: it stays', { size: '1Ti' }, { size: '1Ti', storageClassName: 'fast' }],
    ['annotations: they stay', { size: '1Ti', annotations: { team: 'maps' } }, { size: '1Ti' }],
    ['annotations: they stay', { size: '1Ti', annotations: { team: 'maps' } }, { size: '1Ti', annotations: { team: 'city' } }],
  ])('cannot change, and the refusal says %s', async (message, from, to) => {
    await expect(upgrade(ofStandalone(from), '1Ti', ofStandalone(to))).rejects.toThrow(`standalone.persistence.${message}`);
  });

  it('of the notary stays the same, too, and cannot change', async () => {
    await upgrade(ofNotary({ size: '1024Gi' }), '1Ti', ofNotary({ size: '1024Gi' }));
    await expect(upgrade(ofNotary({ size: '1024Gi' }), '1Ti', ofNotary({ size: '2Ti' }))).rejects.toThrow(
      'notary.persistence.size: it was 1Ti',
    );
  });
});
