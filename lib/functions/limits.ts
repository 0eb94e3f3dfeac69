/** Timeouts and memory that several functions share. Lambda allocates CPU in proportion to memory. */
import { Duration } from 'aws-cdk-lib';

/** The integration timeout of API Gateway for responses that are not streamed. */
export const responseTimeout = Duration.seconds(29);

export const defaultMemoryMb = 256;

/** For tens of thousands of items in an invocation. */
export const largeMemoryMb = 1024;

/** With this memory, a function has one full vCPU. */
export const fullCpuMemoryMb = 1769;
