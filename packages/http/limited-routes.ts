import { type Admission, withAdmission } from './admission.ts';
import type { OpenRoute } from './app.ts';

/** Limits routes without a credential by address. */
export const limitedByAddress = (admission: Admission, routes: readonly OpenRoute[]): readonly OpenRoute[] =>
  routes.map((route) => ({
    ...route,
    handle: (call) => withAdmission(admission, admission.addresses.of(call.request), () => route.handle(call)),
  }));
