import { z } from 'zod';

// The content security policy forbids eval, which zod probes for as soon as an object's shape is made: this module must
// be imported before any schema.
z.config({ jitless: true });
