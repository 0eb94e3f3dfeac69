/** Checks a template as far as possible without an AWS account. */
import { checkInvocations } from './invocations.ts';
import { checkPermissions } from './permissions.ts';
import { checkProperties } from './properties.ts';
import { checkReferences } from './references.ts';
import { checkRequiredGrants } from './required-grants.ts';
import { createResolver } from './resolver.ts';
import { checkResourcePolicies } from './resource-policies.ts';
import { loadSpecification } from './specification.ts';
import type { Finding, Template } from './template.ts';

/**
 * Returns what CloudFormation or a service would refuse, and permissions that are missing or broader than necessary. A check
 * relies on what the checks before it find.
 */
export async function checkTemplate(template: Template): Promise<Finding[]> {
  const specification = await loadSpecification();
  const invalid = [...checkProperties(template, specification), ...checkReferences(template, specification)];
  if (invalid.length > 0) return invalid;
  const resolved = createResolver(template, specification);
  const refused = await checkPermissions(template, resolved);
  if (refused.length > 0) return refused;
  return [
    ...(await checkInvocations(template, resolved)),
    ...checkRequiredGrants(template, resolved),
    ...checkResourcePolicies(template, resolved),
  ];
}
