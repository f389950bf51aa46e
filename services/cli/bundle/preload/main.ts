import { traceInSources } from '../stack-traces.ts';

// Runs at the start of the process and of each thread, before everything else in a bundle.

Error.prepareStackTrace = traceInSources;
