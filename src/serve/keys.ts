/**
 * The key that the embedded service takes in the demo. It opens nothing but a simulated market on
 * loopback and is no secret; the prefix says so wherever it turns up.
 */
export const DEMO_KEY = "twk_demo_5f1c9be27a4d80364e9b";
