/** Resolves intrinsic functions as the local run does, so that ARNs in policies are texts. */
import { localAccountId } from '#local/identities.ts';
import { resolveIntrinsics } from '#local/template/intrinsics.ts';
import { createReferences } from '#local/template/references.ts';
import type { Template as LocalTemplate } from '#local/template/template.ts';
import type { Specification } from './specification.ts';
import type { Template } from './template.ts';

export interface ResolvedTemplate {
  localTemplate: LocalTemplate;
  resolve: (value: unknown) => unknown;
}

export const region = 'us-east-1';

export function createResolver(template: Template, specification: Specification): ResolvedTemplate {
  const localTemplate = toLocalTemplate(template);
  const origin = 'http://localhost';
  const references = createReferences({
    template: localTemplate,
    region,
    tables: new Map(),
    awsOrigin: origin,
    restApiOrigin: origin,
    functionUrlOrigin: origin,
    dashboardOrigin: origin,
    signInOrigin: origin,
  });
  const arnOf = (logicalId: string) =>
    specification
      .findType(template.Resources[logicalId]?.Type ?? '')
      ?.arnTemplate?.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => arnParts[variable] ?? logicalId);
  const attribute = (logicalId: string, name: string) => {
    const known = references.attribute(logicalId, name);
    if (known !== undefined) return known;
    const arn = arnOf(logicalId) ?? `${logicalId}.${name}`;
    return name === 'StreamArn' ? `${arn}/stream/label` : arn;
  };
  return {
    localTemplate,
    resolve: (value) => resolveIntrinsics(value, { ref: references.ref, attribute }),
  };
}

const arnParts: Record<string, string> = { Partition: 'aws', Region: region, Account: localAccountId };

function toLocalTemplate({ Resources, Parameters = {} }: Template): LocalTemplate {
  return {
    stackName: 'Stack',
    resources: new Map(
      Object.entries(Resources).map(([logicalId, { Type, Properties = {} }]) => [
        logicalId,
        { logicalId, type: Type, properties: Properties },
      ]),
    ),
    parameters: new Map(Object.entries(Parameters).map(([name, parameter]) => [name, parameter.Default])),
    outputs: new Map(),
    assetDirectories: new Map(),
  };
}
