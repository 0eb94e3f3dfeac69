/** What the template's roles may do: IAM identity policies, evaluated as AWS does for the subset that is used. */
import { LocalGatewayError } from '../local-gateway-error.ts';
import { type Resource, resourcesOfType, type Template } from '../template/template.ts';
import { asArray, asList, asObject, asText, type JsonObject } from '../untyped-json.ts';

export interface Grant {
  /** Such as `dynamodb:GetItem`. */
  action: string;
  /** An ARN. */
  resource: string;
}

export interface Statement {
  effect: 'Allow' | 'Deny';
  /** IAM patterns: `*` and `?` are wildcards. */
  actions: string[];
  resources: string[];
}

export type Decision = 'allowed' | 'not granted' | 'denied';

/** Managed policies that grant nothing of what the local run emulates. */
const managedPoliciesWithoutLocalEffect =
  /:policy\/(service-role\/(AWSLambdaBasicExecutionRole|AmazonAPIGatewayPushToCloudWatchLogs)|AWSXRayDaemonWriteAccess)$/;

/** `resolve` replaces the intrinsic functions of a value. */
export function readRoleStatements(
  template: Template,
  roleLogicalId: string,
  resolve: (value: unknown) => unknown,
): Statement[] {
  const role = template.resources.get(roleLogicalId);
  if (role?.type !== 'AWS::IAM::Role')
    throw new LocalGatewayError(`${roleLogicalId} is not a role of the template`);
  refuseUnknownManagedPolicies(role, resolve);
  const inline = asList(role.properties.Policies).map((policy) => asObject(policy, roleLogicalId));
  const attached = resourcesOfType(template, 'AWS::IAM::Policy')
    .filter((policy) => asList(policy.properties.Roles).some((entry) => isReferenceTo(entry, roleLogicalId)))
    .map((policy) => policy.properties);
  return [...inline, ...attached].flatMap((policy) =>
    readPolicyDocument(resolve(policy.PolicyDocument), roleLogicalId),
  );
}

/** A deny wins over every allow; what no statement allows is not granted. */
export function decide(statements: readonly Statement[], grant: Grant): Decision {
  const matching = statements.filter(({ actions, resources }) =>
    actions.some((action) => resources.some((resource) => allows({ action, resource }, grant))),
  );
  if (matching.some((statement) => statement.effect === 'Deny')) return 'denied';
  return matching.length > 0 ? 'allowed' : 'not granted';
}

/** Whether patterns of an action and of a resource fit what is wanted. Actions have no case. */
export function allows(patterns: Grant, wanted: Grant): boolean {
  return (
    matchesPattern(patterns.action.toLowerCase(), wanted.action.toLowerCase()) &&
    matchesPattern(patterns.resource, wanted.resource)
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
        `A policy of ${where} has a ${unsupported}, which the local run does not evaluate: extend local/aws/policies.ts`,
      );
    }
  }
  const effect = asText(statement.Effect, `${where}: Effect`);
  if (effect !== 'Allow' && effect !== 'Deny') throw new LocalGatewayError(`${where}: Effect is ${effect}`);
  return {
    effect,
    actions: asList(statement.Action).map((action) => asText(action, `${where}: Action`)),
    resources: asList(statement.Resource).map((resource) => asText(resource, `${where}: Resource`)),
  };
}

function refuseUnknownManagedPolicies(role: Resource, resolve: (value: unknown) => unknown): void {
  for (const value of asArray(resolve(role.properties.ManagedPolicyArns ?? []), role.logicalId)) {
    const arn = asText(value, `${role.logicalId}: ManagedPolicyArns`);
    if (managedPoliciesWithoutLocalEffect.test(arn)) continue;
    throw new LocalGatewayError(
      `${role.logicalId} has the managed policy ${arn}, which the local run does not know: extend local/aws/policies.ts`,
    );
  }
}

function isReferenceTo(value: unknown, logicalId: string): boolean {
  return typeof value === 'object' && value !== null && 'Ref' in value && value.Ref === logicalId;
}

const compiledPatterns = new Map<string, RegExp>();

/** Whether an IAM pattern, with its wildcards `*` and `?`, fits the text. */
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
