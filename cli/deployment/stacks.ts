/** The stacks that have, or had, one name, as CloudFormation remembers them. */

import {
  type CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  paginateListStackResources,
  paginateListStacks,
  type StackStatus,
} from '@aws-sdk/client-cloudformation';
import { isMissingStack } from '../connection/aws-errors.ts';

export interface StackState {
  /** The ARN. Deleted stacks are found by it only. */
  id: string;
  status: StackStatus;
}

export interface StackResource {
  type: string;
  logicalId: string;
  /** Name, URL, ARN or id, depending on the type. */
  physicalId: string;
  status: string;
}

/** Statuses of stacks that do not run a gateway and may have left resources. */
const failedStatuses = [
  'CREATE_FAILED',
  'ROLLBACK_COMPLETE',
  'ROLLBACK_FAILED',
  'DELETE_FAILED',
] satisfies StackStatus[];

export function hasFailed({ status }: StackState): boolean {
  return (failedStatuses as StackStatus[]).includes(status);
}

export function isInProgress({ status }: StackState): boolean {
  return status.endsWith('_IN_PROGRESS');
}

/** Returns `null` if there is no stack of the name. */
export async function findStack(client: CloudFormationClient, name: string): Promise<StackState | null> {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: name }));
    const stack = Stacks?.[0];
    if (stack?.StackId === undefined || stack.StackStatus === undefined) return null;
    return { id: stack.StackId, status: stack.StackStatus };
  } catch (error) {
    if (isMissingStack(error)) return null;
    throw error;
  }
}

/** The failed stacks of the name, and those that were deleted in the last 90 days, newest first. */
export async function listFormerStacks(client: CloudFormationClient, name: string): Promise<StackState[]> {
  const stacks: StackState[] = [];
  const StackStatusFilter: StackStatus[] = [...failedStatuses, 'DELETE_COMPLETE'];
  for await (const { StackSummaries = [] } of paginateListStacks({ client }, { StackStatusFilter })) {
    for (const { StackId, StackName, StackStatus } of StackSummaries) {
      if (StackName === name && StackId !== undefined && StackStatus !== undefined)
        stacks.push({ id: StackId, status: StackStatus });
    }
  }
  return stacks;
}

/**
 * The resources of a stack, also of a deleted one: for 90 days.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListStackResources.html
 */
export async function listResources(
  client: CloudFormationClient,
  { id }: Pick<StackState, 'id'>,
): Promise<StackResource[]> {
  const resources: StackResource[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: id })) {
    for (const summary of page.StackResourceSummaries ?? []) {
      const { ResourceType, LogicalResourceId, PhysicalResourceId, ResourceStatus } = summary;
      // A resource whose creation failed at once has no physical id.
      if (!PhysicalResourceId) continue;
      resources.push({
        type: ResourceType ?? '',
        logicalId: LogicalResourceId ?? '',
        physicalId: PhysicalResourceId,
        status: ResourceStatus ?? '',
      });
    }
  }
  return resources;
}

/** The stack that has the resource now, also one of another name into which it was imported; `null` if none has it. */
export async function findOwner(
  client: CloudFormationClient,
  physicalId: string,
): Promise<{ id: string; name: string } | null> {
  try {
    const { StackResources = [] } = await client.send(
      new DescribeStackResourcesCommand({ PhysicalResourceId: physicalId }),
    );
    // The first 100 resources of the stack, perhaps without this one.
    const [first] = StackResources;
    return { id: first?.StackId ?? '', name: first?.StackName ?? 'of unknown name' };
  } catch (error) {
    if (isMissingStack(error)) return null;
    throw error;
  }
}
