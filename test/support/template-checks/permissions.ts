/** Checks policies against the service authorization reference: actions, the resources to which they apply, conditions. */
import { asList, isObject } from '#local/untyped-json.ts';
import { fitsFormat } from './arn-format.ts';
import { conditionKeyProblem, findActions, type IamAction } from './iam-actions.ts';
import { managedPolicyActions } from './managed-policies.ts';
import { type PolicyStatement, policyStatements } from './policy-statements.ts';
import type { ResolvedTemplate } from './resolver.ts';
import { type Finding, resourcesOfType, type Template } from './template.ts';

const elements = {
  identity: ['Sid', 'Effect', 'Action', 'Resource', 'Condition'],
  resource: ['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition'],
  trust: ['Sid', 'Effect', 'Principal', 'Action', 'Condition'],
};

// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
const conditionOperator =
  /^(For(All|Any)Values:)?(String(Not)?(Equals|EqualsIgnoreCase|Like)|(Numeric|Date)((Not)?Equals|(Less|Greater)Than(Equals)?)|Bool|BinaryEquals|(Not)?IpAddress|Arn(Not)?(Equals|Like)|Null)(IfExists)?$/;

export async function checkPermissions(template: Template, resolved: ResolvedTemplate): Promise<Finding[]> {
  const statements = policyStatements(template, resolved);
  const findings = await Promise.all(statements.map(checkStatement));
  return [...findings.flat(), ...checkManagedPolicies(template, resolved)];
}

async function checkStatement(policy: PolicyStatement): Promise<Finding[]> {
  const { kind, statement } = policy;
  const patterns = asList(statement.Action).map(String);
  const actions = new Map(
    await Promise.all(patterns.map(async (pattern) => [pattern, await findActions(pattern)] as const)),
  );
  const existing = [...actions.values()].flat();
  const problems = [
    ...elementProblems(policy),
    ...patterns
      .filter((pattern) => actions.get(pattern)?.length === 0)
      .map((pattern) => `no action ${pattern} exists: correct it`),
    ...(kind === 'trust' ? [] : resourceProblems(policy, actions)),
    ...(await conditionProblems(statement.Condition, existing)),
  ];
  return problems.map((problem) => `${policy.path}: ${problem}`);
}

function elementProblems({ kind, statement }: PolicyStatement): string[] {
  const required = elements[kind].filter((name) => name !== 'Sid' && name !== 'Condition');
  return [
    ...required.filter((name) => statement[name] === undefined).map((name) => `${name} is required: set it`),
    ...Object.keys(statement)
      .filter((name) => !elements[kind].includes(name))
      .map((name) => `${name} is not supported in this kind of policy: use ${elements[kind].join(', ')}`),
  ];
}

/** Each action must apply to one of the resources, and to each resource one of the actions. */
function resourceProblems(
  { kind, statement }: PolicyStatement,
  actions: ReadonlyMap<string, IamAction[]>,
): string[] {
  const resources = asList(statement.Resource).map(String);
  // In the policy of a resource, it stands for this resource. Denying more than necessary is safe.
  if (resources.includes('*') && (kind === 'resource' || statement.Effect === 'Deny')) return [];
  const unusable = [...actions]
    .filter(([, matches]) => matches.length > 0)
    .flatMap(([pattern, matches]) => actionProblem(pattern, matches, resources) ?? []);
  const existing = [...actions.values()].flat();
  // Without an action that fits, each resource would be reported too.
  if (unusable.length > 0 || existing.length === 0) return unusable;
  return resources
    .filter((resource) => resource !== '*' && !existing.some((action) => appliesTo(action, resource)))
    .map((resource) => `no action of the statement applies to ${resource}: remove it from Resource`);
}

function actionProblem(
  pattern: string,
  matches: readonly IamAction[],
  resources: readonly string[],
): string | undefined {
  const formats = [...new Set(matches.flatMap((action) => action.formats))];
  if (formats.length === 0) {
    return resources.includes('*') ? undefined : `${pattern} applies to no resource: set Resource to *`;
  }
  const examples = formats.map((format) => format.replace(/\$\{(\w+)\}/g, '<$1>'));
  const instead = `name a resource such as ${examples.join(', ')}`;
  if (resources.includes('*')) return `${pattern} on *: ${instead}`;
  const applies = matches.some((action) => resources.some((resource) => appliesTo(action, resource)));
  return applies ? undefined : `${pattern} does not apply to ${resources.join(', ')}: ${instead}`;
}

function appliesTo({ formats }: IamAction, resource: string): boolean {
  return formats.some((format) => fitsFormat(resource, format));
}

async function conditionProblems(condition: unknown, actions: readonly IamAction[]): Promise<string[]> {
  const operators = Object.entries(isObject(condition) ? condition : {});
  const keys = operators.flatMap(([, values]) => Object.keys(isObject(values) ? values : {}));
  const keyProblems = await Promise.all(keys.map((key) => conditionKeyProblem(key, actions)));
  return [
    ...operators
      .filter(([operator]) => !conditionOperator.test(operator))
      .map(([operator]) => `there is no condition operator ${operator}: correct it`),
    ...keyProblems.filter((problem) => problem !== undefined),
  ];
}

function checkManagedPolicies(template: Template, { resolve }: ResolvedTemplate): Finding[] {
  return resourcesOfType(template, 'AWS::IAM::Role').flatMap(([logicalId, { ManagedPolicyArns }]) =>
    asList(resolve(ManagedPolicyArns))
      .map(String)
      .filter((arn) => managedPolicyActions(arn) === undefined)
      .map(
        (arn) =>
          `${logicalId}.Properties.ManagedPolicyArns: ${arn} is unknown: correct it, or add it to managed-policies.ts`,
      ),
  );
}
