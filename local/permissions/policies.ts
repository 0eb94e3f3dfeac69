/** Evaluates the IAM identity-based policies of the template's roles, for the subset of IAM that they use. */
import { LocalGatewayError } from '../local-gateway-error.ts';
import { type Resource, resourcesOfType, type Template } from '../template/template.ts';
import { asArray, asList, asObject, asString, type JsonObject } from '../untyped-json.ts';

export interface Grant {
  /** Such as `dynamodb:GetItem`. */
  action: string;
  resource: string;
}

export interface Statement {
  effect: 'Allow' | 'Deny';
  /** Patterns with the wildcards `*` and `?`. */
  actions: string[];
  resources: string[];
}

type Decision = 'allow' | 'implicit deny' | 'explicit deny';

const managedPoliciesWithoutLocalEffect =
  /:policy\/(service-role\/(AWSLambdaBasicExecutionRole|AmazonAPIGatewayPushToCloudWatchLogs)|AWSXRayDaemonWriteAccess)$/;

export function readRoleStatements(
  template: Template,
  roleLogicalId: string,
  resolve: (value: unknown) => unknown,
): Statement[] {
  const role = template.resources.get(roleLogicalId);
  if (role?.type !== 'AWS::IAM::Role')
    throw new LocalGatewayError(`${roleLogicalId} is not a role of the template`);
  assertKnownManagedPolicies(role, resolve);
  const inline = asList(role.properties.Policies).map((policy) => asObject(policy, roleLogicalId));
  const attached = resourcesOfType(template, 'AWS::IAM::Policy')
    .filter((policy) => asList(policy.properties.Roles).some((entry) => isReferenceTo(entry, roleLogicalId)))
    .map((policy) => policy.properties);
  return [...inline, ...attached].flatMap((policy) =>
    readPolicyDocument(resolve(policy.PolicyDocument), roleLogicalId),
  );
}

export function decide(statements: readonly Statement[], grant: Grant): Decision {
  const matching = statements.filter(({ actions, resources }) =>
    actions.some((action) => resources.some((resource) => allows({ action, resource }, grant))),
  );
  if (matching.some((statement) => statement.effect === 'Deny')) return 'explicit deny';
  return matching.length > 0 ? 'allow' : 'implicit deny';
}

/** Actions are case-insensitive, resources are not. */
export function allows(patterns: Grant, requested: Grant): boolean {
  return (
    matchesPattern(patterns.action.toLowerCase(), requested.action.toLowerCase()) &&
    matchesPattern(patterns.resource, requested.resource)
  );
}

function readPolicyDocument(document: unknown, where: string): Statement[] {
  const statements = asList(asObject(document, `${where}: PolicyDocument`).Statement);
  return statements.map((statement) => readStatement(asObject(statement, `${where}: Statement`), where));
}

function readStatement(statement: JsonObject, where: string): Statement {
  for (const unsupported of ['Condition', 'NotAction', 'NotResource']) {
    if (statement[unsupported] !== undefined) {
      throw new LocalGatewayError(
        `A policy of ${where} has a ${unsupported}, which the local run does not evaluate: extend local/permissions/policies.ts`,
      );
    }
  }
  const effect = asString(statement.Effect, `${where}: Effect`);
  if (effect !== 'Allow' && effect !== 'Deny') throw new LocalGatewayError(`${where}: Effect is ${effect}`);
  return {
    effect,
    actions: asList(statement.Action).map((action) => asString(action, `${where}: Action`)),
    resources: asList(statement.Resource).map((resource) => asString(resource, `${where}: Resource`)),
  };
}

function assertKnownManagedPolicies(role: Resource, resolve: (value: unknown) => unknown): void {
  for (const value of asArray(resolve(role.properties.ManagedPolicyArns ?? []), role.logicalId)) {
    const arn = asString(value, `${role.logicalId}: ManagedPolicyArns`);
    if (managedPoliciesWithoutLocalEffect.test(arn)) continue;
    throw new LocalGatewayError(
      `${role.logicalId} has the managed policy ${arn}, which the local run does not support: extend local/permissions/policies.ts`,
    );
  }
}

function isReferenceTo(value: unknown, logicalId: string): boolean {
  return typeof value === 'object' && value !== null && 'Ref' in value && value.Ref === logicalId;
}

const compiledPatterns = new Map<string, RegExp>();

export function matchesPattern(pattern: string, text: string): boolean {
  let compiled = compiledPatterns.get(pattern);
  if (compiled === undefined) {
    const source = pattern
      .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    compiled = new RegExp(`^${source}$`, 's');
    compiledPatterns.set(pattern, compiled);
  }
  return compiled.test(text);
}
