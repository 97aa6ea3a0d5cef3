// needs: cryptsetup-bin
// lease: emulated guests
import { guestLayoutSuite } from '../conformance/guest-layout.ts';

guestLayoutSuite('encrypted');
