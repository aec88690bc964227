"""The spiders, one a module: what each begins with and what it follows."""
