import { describeWithHelm, render, standalone, type Values } from './helm.ts';

/** Returns NOTES.txt, which `helm template` does not print: an object of the values includes it. */
const notes = async (values: Values): Promise<string> => {
  const object = '{kind: ConfigMap, metadata: {name: notes}, spec: {notes: {{ include "waymark/templates/NOTES.txt" . | toJson }}}}';
  const found = (await render({ ...values, extraObjects: [object] })).find(({ metadata: { name } }) => name === 'notes');
  return String(found?.spec['notes']);
};

describeWithHelm('The notes', () => {
  it('name the claim with the data', async () => {
    expect(await notes(standalone)).toContain('The claim data-maps-waymark-standalone-0 holds all data.');
    const existing = await notes({ ...standalone, standalone: { persistence: { existingClaim: 'old' } } });
    expect(existing).toContain('The claim old holds all data.');
    expect(existing).not.toContain('data-maps-waymark');
  });

  it("say how the notary's key changes with a Secret for the keys", async () => {
    expect(await notes(standalone)).toContain('a comma and the content of /var/lib/waymark/notary/key');
  });
});
