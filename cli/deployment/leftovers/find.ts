/**
 * Finds the resources that failed and deleted stacks of one name have left. CloudFormation is the source: resources that a
 * stack retained have the status `DELETE_SKIPPED`, also after the deletion of the stack, for 90 days.
 */

import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { AwsSettings } from '#cli/connection/aws-settings.ts';
import {
  findOwner,
  findStack,
  hasFailed,
  listFormerStacks,
  listResources,
  type StackResource,
  type StackState,
} from '../stacks.ts';
import type { ResourceKind } from './kinds/kind.ts';
import { createLogGroupKind } from './kinds/log-group.ts';
import { createQueueKind } from './kinds/queue.ts';
import { createSecretKind } from './kinds/secret.ts';
import { createTableKind } from './kinds/table.ts';
import { createUserPoolKind } from './kinds/user-pool.ts';

export interface Leftovers {
  /** The stack that has the name now; `null` if there is none. */
  stack: StackState | null;
  found: Leftover[];
  kept: KeptResource[];
}

/** A resource that exists and belongs to no stack, or to a failed one. */
export interface Leftover {
  kind: ResourceKind;
  id: string;
}

/** A resource that no command removes. It may be gone. */
interface KeptResource {
  type: string;
  id: string;
  reason: string;
}

/** Throws errors of AWS, `AccessDenied` too: without an answer, a resource could belong to another stack. */
export async function findLeftovers(
  stackName: string,
  { clientConfig }: Pick<AwsSettings, 'clientConfig'>,
): Promise<Leftovers> {
  const client = new CloudFormationClient(clientConfig);
  const stack = await findStack(client, stackName);
  const formerStacks = await listFormerStacks(client, stackName);
  const leftovers: Leftovers = { stack, found: [], kept: [] };
  const liveIds = await listLiveIds(client, stack);
  const kinds = createKinds(clientConfig);

  for (const { type, physicalId: id } of await listRemaining(client, formerStacks)) {
    const kind = kinds[type];
    if (liveIds.has(id)) continue;
    if (kind === undefined) {
      leftovers.kept.push({ type, id, reason: reasonToKeep(type) });
    } else if (await kind.exists(id)) {
      const owner = await findOwner(client, id);
      if (owner === null || formerStacks.some((former) => former.id === owner.id))
        leftovers.found.push({ kind, id });
      else leftovers.kept.push({ type, id, reason: `belongs to the stack ${owner.name}` });
    }
  }
  return leftovers;
}

function createKinds(config: AwsSettings['clientConfig']): Record<string, ResourceKind> {
  return {
    'AWS::DynamoDB::Table': createTableKind(config),
    'AWS::Cognito::UserPool': createUserPoolKind(config),
    'AWS::SecretsManager::Secret': createSecretKind(config),
    'AWS::SQS::Queue': createQueueKind(config),
    'AWS::Logs::LogGroup': createLogGroupKind(config),
  };
}

/** The resources of the stack that has the name now, unless it has failed. */
async function listLiveIds(client: CloudFormationClient, stack: StackState | null): Promise<Set<string>> {
  if (stack === null || hasFailed(stack)) return new Set();
  return new Set((await listResources(client, stack)).map(({ physicalId }) => physicalId));
}

/** Without duplicates: a resource can have been imported into a later stack, which was deleted too. */
async function listRemaining(
  client: CloudFormationClient,
  formerStacks: readonly StackState[],
): Promise<StackResource[]> {
  const remaining = new Map<string, StackResource>();
  for (const stack of formerStacks) {
    for (const resource of await listResources(client, stack)) {
      if (['DELETE_SKIPPED', 'DELETE_FAILED'].includes(resource.status))
        remaining.set(resource.physicalId, resource);
    }
  }
  return [...remaining.values()];
}

function reasonToKeep(type: string): string {
  return ['AWS::IAM::Role', 'AWS::ApiGateway::Account'].includes(type)
    ? 'other APIs of the account may log with this role'
    : 'this command does not remove resources of this type';
}
