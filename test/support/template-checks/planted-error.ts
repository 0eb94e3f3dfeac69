/** The template of a gateway with most settings, for tests that plant one error in it. */
import { matchesPattern } from '#local/permissions/policies.ts';
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';
import { checkTemplate } from './check-template.ts';
import type { Finding, Template } from './template.ts';

const gateway = synthesizeGateway({
  monitoring: 'all',
  alarmEmail: 'ops@acme.example',
  tracing: true,
  mailFrom: 'gateway@acme.example',
  identityProvider: {
    name: 'Acme',
    domains: ['acme.example'],
    samlMetadataUrl: 'https://login.acme.example/metadata',
  },
});

export function fullTemplate(): Template {
  return structuredClone(gateway.template.toJSON() as Template);
}

interface ConstructResource {
  Metadata: { 'aws:cdk:path': string };
}

/** Returns the logical id of a construct, by its path in the stack, such as `Chat/Function`, with `*` for generated names. */
export function logicalId(path: string): string {
  const resources: Record<string, ConstructResource> = gateway.template.toJSON().Resources;
  const found = Object.entries(resources).find(([, { Metadata }]) =>
    [path, `${path}/Resource`].some((suffix) =>
      matchesPattern(`AiGateway/${suffix}`, Metadata['aws:cdk:path']),
    ),
  );
  if (found === undefined) throw new Error(`The template has no resource at ${path}`);
  return found[0];
}

/**
 * Sets the value at a path that begins with a logical id, such as `Table.Properties.KeySchema.0.KeyType`, or removes it when
 * the value is `undefined`.
 */
export function findingsWith(path: string, value: unknown): Promise<Finding[]> {
  const template = fullTemplate();
  const segments = path.split('.');
  const last = segments.pop() ?? '';
  const parent = segments.reduce<unknown>(
    (object, segment) => Reflect.get(object as object, segment),
    template.Resources,
  );
  if (value === undefined && Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (value === undefined) Reflect.deleteProperty(parent as object, last);
  else Reflect.set(parent as object, last, value);
  return checkTemplate(template);
}
