/** A type of resource that can remain without its stack. Identifiers are those of CloudFormation. */
export interface ResourceKind {
  /** In messages, such as `table`. */
  name: string;
  /** False also for a resource that is being deleted. */
  exists(id: string): Promise<boolean>;
  /** The data that it holds, such as `has items`; `null` if it is as it was created. */
  findData(id: string): Promise<string | null>;
  /** Can be repeated after an interruption. */
  remove(id: string): Promise<void>;
}
