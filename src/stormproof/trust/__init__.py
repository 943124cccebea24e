"""The trusted base: replay of runs and checking of certificates, apart from the engine."""
